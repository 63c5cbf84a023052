import type { RoundhouseError } from '#schemas/errors';
import { startPipeline } from './pipeline';
import { allKinds, requireSettings } from './service-settings';

const settingsOf = (env: NodeJS.ProcessEnv) => () => requireSettings(allKinds.map((kind) => [kind, env]));

/** One bad value of each service, one of the engine, one that all of them read, and a name that nobody knows. */
const bad = {
  ROUNDHOUSE_INGEST_MAX_ORDERS: 'many',
  ROUNDHOUSE_WORKER_WINDOW: '0',
  ROUNDHOUSE_DEVICES: 'nonsense',
  ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW: '-1',
  ROUNDHOUSE_OPS_TARGETS: 'worker',
  ROUNDHOUSE_LOG_LEVEL: 'loud',
  ROUNDHOUSE_WORKER_WINDOWS: '3',
};

test('the bad settings of all services are told at once, each once', () => {
  // ROUNDHOUSE_LOG_LEVEL is read by five processes, ROUNDHOUSE_WORKER_WINDOWS is refused by five: seven faults.
  const text = (() => {
    try {
      settingsOf(bad)();
      return '';
    } catch (error) {
      return (error as RoundhouseError).message;
    }
  })();
  expect(text).toContain('7 faults in the configuration:');
  for (const key of Object.keys(bad))
    expect(text.split('\n').filter((line) => line.trim().split(/[=:]/)[0] === key)).toHaveLength(1);
});

test('nothing set, or only what is good, passes', () => {
  expect(settingsOf({})).not.toThrow();
  expect(settingsOf({ ROUNDHOUSE_DEVICES: 'cpu', ROUNDHOUSE_OPS_TARGETS: 'w=http://h:1' })).not.toThrow();
});

test('a pipeline with bad settings starts nothing, whatever its own ports', async () => {
  const started: string[] = [];
  const options = {
    inheritedEnv: { ROUNDHOUSE_WORKER_HTTP_PORT: 'of no use here' },
    env: { ROUNDHOUSE_WORKER_WINDOW: 'x' },
    serviceEnv: { aggregator: { ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW: 'y' } },
    onEvent: ({ name }: { readonly name: string }) => started.push(name),
    // A folder can't be made below a file: it would be told in place of the settings.
    runRoot: `${__filename}/run`,
  };
  await expect(startPipeline(options)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    faults: [{ path: 'ROUNDHOUSE_WORKER_WINDOW' }, { path: 'ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW' }],
  });
  expect(started).toEqual([]);
});
