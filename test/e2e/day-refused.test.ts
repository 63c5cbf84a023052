import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { startStack } from '../support/stack';
import { LauncherProcess } from './launcher-process';

const { kafkaBrokers, redisUrl } = startStack('day-refused');
const folder = mkdtempSync(join(tmpdir(), 'day-refused-'));
const running: LauncherProcess[] = [];
afterAll(() => {
  running.forEach((launcher) => launcher.kill());
  rmSync(folder, { recursive: true });
});

function start(env: NodeJS.ProcessEnv, topicPrefix: string): LauncherProcess {
  const servers = { KAFKA_BROKERS: kafkaBrokers, REDIS_URL: redisUrl, ROUNDHOUSE_TOPIC_PREFIX: topicPrefix };
  const launcher = new LauncherProcess(['--orders', '20'], { ...servers, ...env });
  running.push(launcher);
  return launcher;
}

/** The repository of this project with one file changed. */
function modelsWith(name: string, file: string, text: string): string {
  const models = join(folder, name);
  cpSync(projectPath('models'), models, { recursive: true });
  writeFileSync(join(models, file), text);
  return models;
}

const broken = [
  [
    'a broken config.pbtxt',
    'config',
    join('candidate_cost', 'config.pbtxt'),
    'name: "candidate_cost',
    'candidate_cost',
  ],
  ['a broken network', 'network', join('delivery_time', '1', 'model.onnx'), 'no network', 'delivery_time'],
] as const;

// Such a day had every round decided with every shard failed, delivered nothing and ended with 0.
test.concurrent.each(broken.slice(0, process.env['TEST_FULL'] === '1' ? 2 : 1))(
  'a day with %s is refused with the reason, and nothing is sent',
  async (_what, name, file, text, model) => {
    const launcher = start({ ROUNDHOUSE_MODELS_DIR: modelsWith(name, file, text) }, `day-${name}.`);
    expect(await launcher.ended).toEqual({ code: 1, signal: null });
    expect(launcher.output).toMatch(
      /DEPENDENCY_ABSENT: no round could be decided, so none was sent:\n {2}worker: /,
    );
    expect(launcher.output).toMatch(new RegExp(`  worker: .*${model}.*: `));
    expect(launcher.output).not.toMatch(/^\d\d:\d\d {2}open/m);
  },
  120_000,
);

test.concurrent(
  'a Kafka that does not answer is named while it is waited for, and at the end',
  async () => {
    const env = { KAFKA_BROKERS: '127.0.0.1:1', ROUNDHOUSE_STARTUP_TIMEOUT_MS: '8000' };
    const launcher = start(env, 'day-absent.');
    // The line comes every five seconds, and the services give up after eight.
    await launcher.until(/waiting for worker \(Kafka at 127\.0\.0\.1:1\)/, 30_000);
    expect(await launcher.ended).toEqual({ code: 1, signal: null });
    expect(launcher.output).toMatch(
      /starting ingest, .*, with Kafka at 127\.0\.0\.1:1 and the Redis of REDIS_URL/,
    );
    expect(launcher.output).toContain('Kafka at 127.0.0.1:1 did not answer in 8000 ms');
  },
  60_000,
);
