import type { KafkaMessage } from 'kafkajs';

/** A fetched record; `unreadable` stands for a whole batch whose records can't be had, and says why. */
export interface FetchedRecord extends Pick<KafkaMessage, 'key' | 'value' | 'timestamp' | 'offset'> {
  readonly unreadable?: string;
}
export type BatchDecoder = (batch: Buffer) => Promise<{ readonly records: readonly FetchedRecord[] }>;

/** More records a batch are refused: each costs hundreds of bytes of memory, whatever its size. */
export const MAX_BATCH_RECORDS = 100_000;

/** Where the fields of a record batch's header stand (Kafka protocol, RecordBatch of magic 2). */
const at = { length: 8, lastOffsetDelta: 23, maxTimestamp: 35, count: 57 } as const;
const lengthEnd = 12;
const headerBytes = 61;

/**
 * The records of a fetched record set. A batch that can't be read (it grows beyond what may be decompressed,
 * has too many records or damaged ones) becomes one record without a key and a value at the batch's last
 * offset: reading goes on behind it, where an error would have it fetched again for ever.
 */
export async function decodeRecordSet(bytes: Buffer, decode: BatchDecoder): Promise<FetchedRecord[]> {
  const records: FetchedRecord[] = [];
  for (let begin = 0; begin + headerBytes <= bytes.length;) {
    const end = begin + lengthEnd + bytes.readInt32BE(begin + at.length);
    // The last batch may be cut off by the size of the fetch.
    if (end > bytes.length || end < begin + headerBytes) break;
    for (const record of await decodeBatch(bytes.subarray(begin, end), decode)) records.push(record);
    begin = end;
  }
  return records;
}

async function decodeBatch(batch: Buffer, decode: BatchDecoder): Promise<readonly FetchedRecord[]> {
  const count = batch.readInt32BE(at.count);
  try {
    if (count > MAX_BATCH_RECORDS)
      throw new Error(`${count} records, above the limit of ${MAX_BATCH_RECORDS}`);
    return (await decode(batch)).records;
  } catch (error) {
    return [unreadable(batch, error instanceof Error ? error.message : String(error))];
  }
}

function unreadable(batch: Buffer, reason: string): FetchedRecord {
  const first = batch.readBigInt64BE(0);
  const last = first + BigInt(batch.readInt32BE(at.lastOffsetDelta));
  const where = first === last ? `offset ${first}` : `offsets ${first} to ${last}`;
  const record = {
    key: null,
    value: null,
    headers: {},
    timestamp: batch.readBigInt64BE(at.maxTimestamp).toString(),
    offset: last.toString(),
    unreadable: `the record batch of ${where} can't be read and is skipped: ${reason}`,
    isControlRecord: false,
    batchContext: { inTransaction: false, isControlBatch: false, producerId: '-1' },
  };
  return record;
}
