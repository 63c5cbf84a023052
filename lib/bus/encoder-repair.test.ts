/* eslint-disable @typescript-eslint/no-require-imports -- kafkajs' encoders have no declarations */
import { holdLargePieces } from './encoder-repair';

type ProduceRequest = (options: object) => { encode(): Promise<{ buffer: Buffer; size(): number }> };

/** kafkajs' produce request in a module registry of its own, with or without the repair. */
function produceRequest(repaired: boolean): ProduceRequest {
  let request: ProduceRequest | undefined;
  jest.isolateModules(() => {
    const { prototype } = require('kafkajs/src/protocol/encoder') as { prototype: never };
    if (repaired) holdLargePieces(prototype);
    request = require('kafkajs/src/protocol/requests/produce/v7/request') as ProduceRequest;
  });
  return request!;
}

async function encoded(request: ProduceRequest, sizes: readonly number[]): Promise<Buffer> {
  const messages = sizes.map((size, i) => ({
    key: i % 2 ? Buffer.alloc(size % 40, i) : `key ${i}`,
    value: i === 3 ? null : Buffer.alloc(size, i + 1),
    headers: i % 3 ? {} : { name: 'x'.repeat(size) },
    timestamp: '1700000000000',
  }));
  const partitions = [0, 1].map((partition) => ({ partition, firstSequence: 7, messages }));
  const topicData = [{ topic: 'topic', partitions }];
  const encoder = await request({
    acks: -1,
    timeout: 1,
    producerId: '5',
    producerEpoch: 0,
    topicData,
  }).encode();
  const size = encoder.size();
  expect(encoder.buffer.length).toBe(size);
  return encoder.buffer;
}

test.each([
  [[0]],
  [[1_023, 1_024, 1_025]],
  [[10, 70_000, 10, 5, 3_000]],
  [Array.from({ length: 40 }, (_, i) => (i * 397) % 2_500)],
])('requests are the bytes that kafkajs alone would send, sizes %j', async (sizes) => {
  const plain = await encoded(produceRequest(false), sizes);
  expect((await encoded(produceRequest(true), sizes)).equals(plain)).toBe(true);
});
