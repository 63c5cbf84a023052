import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';

const benches = readdirSync(projectPath('bench'))
  .filter((name) => existsSync(projectPath('bench', name, 'main.ts')))
  .map((name) => join('bench', name, 'main.js'));
/** What has to stand before the flags. */
const commands: Readonly<Record<string, string[]>> = { 'launcher/models/main.js': ['list'] };
const programs = [
  'launcher/main.js',
  'launcher/dead-letters.js',
  'launcher/models/main.js',
  'native/planner/solve-main.js',
  'services/inference-worker/serve-models/main.js',
  ...benches,
];

interface Ended {
  /** null: it did not end within the time. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, ...args: string[]): Promise<Ended> {
  // No program may begin its work: nothing answers at these addresses.
  const env = { ...process.env, KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' };
  const entry = projectPath('dist', ...program.split('/'));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [entry, ...args],
      { timeout: 60_000, env },
      (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

test.concurrent.each(programs)('%s --help tells its usage', async (program) => {
  const { status, stdout, stderr } = await run(program, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/npm (run|start)/);
});

// A bench took a flag it does not know for none, and ran; another showed a stack.
test.concurrent.each(programs)('%s says which flag it does not know', async (program) => {
  const { status, stdout, stderr } = await run(program, ...(commands[program] ?? []), '--no-such-flag');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.split('\n')[0]).toMatch(/--no-such-flag/);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
});

const numbers = [
  ['launcher/main.js', '--orders', '--couriers', '--seed', '--f', '--deadline-ms'],
  ['launcher/dead-letters.js', '--limit'],
  ['launcher/models/main.js', '--share'],
];
test.concurrent.each(
  numbers.flatMap(([program, ...flags]) => flags.map((flag) => [program!, flag] as const)),
)('%s %s -5 is told its range', async (program, flag) => {
  const before = program.includes('models') ? ['label', 'canary'] : [];
  const { status, stderr } = await run(program, ...before, flag, '-5');
  expect(status).toBe(2);
  expect(stderr.split('\n')[0]).toMatch(new RegExp(`^${flag} is "?-5"?: .*[01]`));
});

test.concurrent('dead-letters without a broker says where the address is to be had', async () => {
  const { status, stderr } = await run('launcher/dead-letters.js');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^DEPENDENCY_ABSENT: Kafka at 127\.0\.0\.1:1 did not answer.*KAFKA_BROKERS names the broker/,
  );
});

test.concurrent.each([
  [['--limit', 'x'], '--limit is x: a whole number from 0 to 999999'],
  [['--limit', '-1'], '--limit'],
  [['--limit'], '--limit'],
  [['topic'], 'topic'],
])('dead-letters %j is refused', async (args, reason) => {
  const { status, stderr } = await run('launcher/dead-letters.js', ...args);
  expect(status).toBe(2);
  expect(stderr.split('\n')[0]).toContain(reason);
});
