import { decodeRecordSet, type BatchDecoder, type FetchedRecord } from './record-batches';

interface Decoder {
  readonly buffer: Buffer;
  offset: number;
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readInt64(): { toString(): string };
  readString(): string;
  readVarInt(): number;
  canReadBytes(length: number): boolean;
  readBytes(length: number): Buffer;
  readArray<T>(reader: (decoder: Decoder) => T): T[];
  readArrayAsync<T>(reader: (decoder: Decoder) => Promise<T>): Promise<T[]>;
  readVarIntArray<T>(reader: (decoder: Decoder) => T): T[];
}
type DecoderClass = (new (bytes: Buffer) => Decoder) & { readonly prototype: Decoder };

interface FetchRequest {
  response: { decode(bytes: Buffer): Promise<unknown> };
}
interface FetchDefinition {
  protocol(options: { version: number }): (options: object) => FetchRequest;
}

/** The version that brokers since Kafka 2.3 are asked with, and the last that kafkajs knows. */
const fetchVersion = 11;
/** Record batches of Kafka 0.11 and later; older formats are left to kafkajs. */
const recordBatchMagic = 2;
const magicAt = 4 + 16;
/** kafkajs' time for a record grows with the square of its headers. */
const maxHeaders = 1_000;

/* eslint-disable @typescript-eslint/no-require-imports */
function fetchResponseDecoder(DecoderOf: DecoderClass): (bytes: Buffer) => Promise<unknown> {
  const decodeOld = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages') as (
    decoder: Decoder,
  ) => Promise<FetchedRecord[]>;
  const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
    decoder: Decoder,
  ) => ReturnType<BatchDecoder>;
  const decodeMessages = (decoder: Decoder): Promise<FetchedRecord[]> => {
    const { buffer, offset } = decoder;
    const isOld = buffer.length <= offset + magicAt || buffer.readInt8(offset + magicAt) !== recordBatchMagic;
    if (isOld) return decodeOld(decoder);
    const bytes = decoder.readBytes(decoder.readInt32());
    return decodeRecordSet(bytes, (batch) => decodeBatch(new DecoderOf(batch)));
  };
  const decodePartition = async (decoder: Decoder) => ({
    partition: decoder.readInt32(),
    errorCode: decoder.readInt16(),
    highWatermark: decoder.readInt64().toString(),
    lastStableOffset: decoder.readInt64().toString(),
    lastStartOffset: decoder.readInt64().toString(),
    abortedTransactions: decoder.readArray((one) => ({
      producerId: one.readInt64().toString(),
      firstOffset: one.readInt64().toString(),
    })),
    preferredReadReplica: decoder.readInt32(),
    messages: await decodeMessages(decoder),
  });
  return async (bytes) => {
    const decoder = new DecoderOf(bytes);
    return {
      throttleTime: 0,
      clientSideThrottleTime: decoder.readInt32(),
      errorCode: decoder.readInt16(),
      sessionId: decoder.readInt32(),
      responses: await decoder.readArrayAsync(async (topic) => ({
        topicName: topic.readString(),
        partitions: await topic.readArrayAsync(decodePartition),
      })),
    };
  };
}

/**
 * A record batch that can't be decoded makes kafkajs fail the whole fetch, and the same batch is fetched
 * again for ever. Here its place is taken by one unreadable record (see record-batches.ts).
 */
export function skipUnreadableBatches(): void {
  const DecoderOf = require('kafkajs/src/protocol/decoder') as DecoderClass;
  const { prototype } = DecoderOf;
  const readVarIntArray = prototype.readVarIntArray;
  prototype.readVarIntArray = function <T>(this: Decoder, reader: (decoder: Decoder) => T): T[] {
    const begin = this.offset;
    const count = this.readVarInt();
    if (count > maxHeaders)
      throw new Error(`a record has ${count} headers, above the limit of ${maxHeaders}`);
    this.offset = begin;
    return readVarIntArray.call(this, reader as never) as T[];
  };
  const fetch = require('kafkajs/src/protocol/requests/fetch') as FetchDefinition;
  const protocol = fetch.protocol;
  const decode = fetchResponseDecoder(DecoderOf);
  fetch.protocol = ({ version }) => {
    const build = protocol({ version });
    if (version !== fetchVersion) return build;
    return (options) => {
      const request = build(options);
      return { ...request, response: { ...request.response, decode } };
    };
  };
}
/* eslint-enable @typescript-eslint/no-require-imports */
