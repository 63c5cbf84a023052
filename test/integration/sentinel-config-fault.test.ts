import { renameSync } from 'node:fs';
import { faultEnv as env, makeFaultModels } from './fault-models';
import { startSentinel } from './sentinel-harness';

jest.setTimeout(60_000);

test('before any engine was ready its exit code 2 is told once, without incident or a second try', async () => {
  const bench = startSentinel('/nope', { env });
  await bench.until(() => bench.configFaults.length > 0, 'a fault of the configuration');
  expect(bench.configFaults).toEqual([expect.stringMatching(/ROUNDHOUSE_MODELS_DIR="\/nope"/)]);
  await bench.stop();
  expect(bench.seen).toEqual([]);
});

test('after one was ready it is a start that failed: a folder that is back is served again', async () => {
  const models = makeFaultModels();
  const away = `${models.folder}-away`;
  const bench = startSentinel(models.folder, { env });
  const pid = await bench.pid();
  renameSync(models.folder, away);
  process.kill(pid, 'SIGKILL');
  await bench.untilSeen('IncidentReported', 2);
  renameSync(away, models.folder);
  await bench.untilSeen('EngineActivated', 2);
  expect(bench.incidents().slice(0, 2)).toMatchObject([
    { kind: 'death', role: 'active' },
    { kind: 'start_failed', engine: { exitCode: 2 } },
  ]);
  expect(bench.configFaults).toEqual([]);
  await bench.stop();
  models.remove();
});
