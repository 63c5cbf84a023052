import { decodeRecordSet, MAX_BATCH_RECORDS, type FetchedRecord } from './record-batches';

/** A record batch of magic 2: its header of 61 bytes and `body` bytes of records. */
function batchOf(firstOffset: bigint, count: number, body = 10): Buffer {
  const bytes = Buffer.alloc(61 + body);
  bytes.writeBigInt64BE(firstOffset, 0);
  bytes.writeInt32BE(61 + body - 12, 8);
  bytes.writeInt8(2, 16);
  bytes.writeInt32BE(count - 1, 23); // last offset delta
  bytes.writeBigInt64BE(1_700_000_000_000n, 35); // max timestamp
  bytes.writeInt32BE(count, 57);
  return bytes;
}

const record = (offset: string) => ({ offset, key: null, value: Buffer.from('x'), timestamp: '0' });
const decodeOne = (batch: Buffer) => {
  return Promise.resolve({ records: [record(batch.readBigInt64BE(0).toString())] });
};
const shown = (records: readonly FetchedRecord[]) =>
  records.map(({ offset, unreadable }) => [offset, unreadable]);

test('batches follow one another; one cut off by the size of the fetch is left for the next fetch', async () => {
  const cut = batchOf(7n, 1).subarray(0, 70); // 71 bytes whole
  const set = Buffer.concat([batchOf(5n, 1), batchOf(6n, 1, 200), cut]);
  expect(shown(await decodeRecordSet(set, decodeOne))).toEqual([
    ['5', undefined],
    ['6', undefined],
  ]);
});

test('a batch of too many records is not decoded: one unreadable record at its last offset stands for it', async () => {
  const count = MAX_BATCH_RECORDS + 1;
  const set = Buffer.concat([batchOf(5n, MAX_BATCH_RECORDS), batchOf(200_000n, count), batchOf(300_001n, 1)]);
  const records = await decodeRecordSet(set, decodeOne);
  // 200,000 + 100,001 − 1 = 300,000.
  const reason =
    "the record batch of offsets 200000 to 300000 can't be read and is skipped: " +
    '100001 records, above the limit of 100000';
  expect(shown(records)).toEqual([
    ['5', undefined],
    ['300000', reason],
    ['300001', undefined],
  ]);
  expect(records[1]).toMatchObject({ key: null, value: null, timestamp: '1700000000000' });
});

test('so is a batch whose records are damaged', async () => {
  const decode = (batch: Buffer) =>
    batch.length > 100 ? Promise.reject(new Error('torn')) : decodeOne(batch);
  const set = Buffer.concat([batchOf(1n, 3, 200), batchOf(4n, 1)]);
  expect(shown(await decodeRecordSet(set, decode))).toEqual([
    ['3', "the record batch of offsets 1 to 3 can't be read and is skipped: torn"],
    ['4', undefined],
  ]);
});
