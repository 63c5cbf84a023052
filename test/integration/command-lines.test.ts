import { spawnSync } from 'node:child_process';
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
  ...benches,
];

function run(program: string, ...args: string[]) {
  // No program may begin its work: nothing answers at these addresses.
  const env = { ...process.env, KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' };
  const entry = projectPath('dist', ...program.split('/'));
  return spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8', timeout: 20_000, env });
}

test.each(programs)('%s --help tells its usage', (program) => {
  const { status, stdout, stderr } = run(program, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/npm (run|start)/);
});

// A bench took a flag it does not know for none, and ran; another showed a stack.
test.each(programs)('%s says which flag it does not know', (program) => {
  const { status, stdout, stderr } = run(program, ...(commands[program] ?? []), '--no-such-flag');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.split('\n')[0]).toMatch(/--no-such-flag/);
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
});

test('dead-letters without a broker says where the address is to be had', () => {
  const { status, stderr } = run('launcher/dead-letters.js');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^DEPENDENCY_ABSENT: Kafka at 127\.0\.0\.1:1 did not answer.*KAFKA_BROKERS names the broker/,
  );
});

test.each([
  [['--limit', 'x'], '--limit is x: a whole number from 0 to 999999'],
  [['--limit', '-1'], '--limit'],
  [['--limit'], '--limit'],
  [['topic'], 'topic'],
])('dead-letters %j is refused', (args, reason) => {
  const { status, stderr } = run('launcher/dead-letters.js', ...args);
  expect(status).toBe(2);
  expect(stderr.split('\n')[0]).toContain(reason);
});
