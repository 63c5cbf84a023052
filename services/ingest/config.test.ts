import { loadIngestConfig } from './config';

const load = (shard: number, message: number) => () =>
  loadIngestConfig({
    ROUNDHOUSE_INGEST_MAX_SHARD_BYTES: String(shard),
    ROUNDHOUSE_MAX_MESSAGE_BYTES: String(message),
  });

test('a shard as large as its message may be, with 4,096 bytes around it', () => {
  expect(load(1_044_480, 1_048_576)()).toMatchObject({ maxShardBytes: 1_044_480 });
  expect(load(524_288, 528_384)()).toMatchObject({ maxShardBytes: 524_288 });
});

test('a larger one is refused at the start, naming both settings', () => {
  const fault = {
    path: 'ROUNDHOUSE_INGEST_MAX_SHARD_BYTES',
    value: '1044481',
    limit: 'at most 1044480 where ROUNDHOUSE_MAX_MESSAGE_BYTES=1048576',
  };
  expect(load(1_044_481, 1_048_576)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', faults: [fault] }),
  );
});

test('messages that could not hold the largest outcome of a shard, 512 KiB and 4,096 bytes, are refused', () => {
  const limit = 'a whole number from 528384 to 104857600';
  expect(load(16_384, 528_383)).toThrow(
    expect.objectContaining({ faults: [{ path: 'ROUNDHOUSE_MAX_MESSAGE_BYTES', value: '528383', limit }] }),
  );
});
