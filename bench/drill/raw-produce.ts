/* eslint-disable @typescript-eslint/no-require-imports -- kafkajs' encoders have no declarations */
import { connect } from 'node:net';
import { once } from 'node:events';

interface Encoder {
  readonly buffer: Buffer;
}
interface Request {
  readonly apiKey: number;
}
const frame = require('kafkajs/src/protocol/request') as (options: object) => Promise<Encoder>;
const produceRequest = require('kafkajs/src/protocol/requests/produce/v3/request') as (o: object) => Request;
const produceResponse = require('kafkajs/src/protocol/requests/produce/v3/response') as {
  decode(bytes: Buffer): Promise<{ topics: { partitions: { errorCode: number }[] }[] }>;
};

export interface RawBatch {
  readonly topic: string;
  /** 0 where absent. */
  readonly partition?: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly texts: readonly string[];
}

/** One produce request under any producer id and sequence; resolves to Kafka's error code. */
export async function produceRaw(broker: string, batch: RawBatch): Promise<number> {
  const { topic, partition = 0, producerId, producerEpoch, firstSequence, texts } = batch;
  const messages = texts.map((text) => ({ key: null, value: Buffer.from(text), headers: {} }));
  const partitions = [{ partition, firstSequence, messages }];
  const topicData = [{ topic, partitions }];
  const request = produceRequest({ acks: -1, timeout: 5_000, producerId, producerEpoch, topicData });
  const { buffer } = await frame({ correlationId: 1, clientId: 'raw', request });
  const [host, port] = broker.split(':');
  const socket = connect(Number(port), host);
  socket.write(buffer);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const { topics } = await produceResponse.decode(answer.subarray(8));
  return topics[0]!.partitions[0]!.errorCode;
}
