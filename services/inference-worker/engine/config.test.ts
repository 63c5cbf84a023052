import { loadEngineConfig } from './config';

test('defaults', () => {
  expect(loadEngineConfig({})).toMatchObject({ maxInFlight: 64, maxMessageBytes: 16_777_216, models: '' });
});

test('all faults at once, keys of other processes pass', () => {
  const env = {
    ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT: '0',
    ROUNDHOUSE_ENGINE_MODELS: 'a,../b',
    ROUNDHOUSE_PHASE_TURNS: 'auto',
    ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: '24GB',
    ROUNDHOUSE_ENGINE_SOCKET: 'x'.repeat(108),
    ROUNDHOUSE_WORKER_WINDOW: '8',
  };
  expect(() => loadEngineConfig(env)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      faults: [
        expect.objectContaining({ path: 'ROUNDHOUSE_ENGINE_SOCKET' }),
        expect.objectContaining({ path: 'ROUNDHOUSE_PHASE_TURNS' }),
        expect.objectContaining({ path: 'ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES' }),
        expect.objectContaining({ path: 'ROUNDHOUSE_ENGINE_MODELS' }),
        expect.objectContaining({ path: 'ROUNDHOUSE_ENGINE_MAX_IN_FLIGHT' }),
      ],
    }),
  );
});
