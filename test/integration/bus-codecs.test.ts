import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pino } from 'pino';
import { connectBus } from '#lib/bus/kafka';
import { toolchainPath } from '#launcher/toolchain';
import { startStack } from '../support/stack';

const stack = startStack('codecs');
const bus = connectBus({
  brokers: stack.brokers,
  clientId: 'codecs-test',
  logger: pino({ level: 'silent' }),
});
const lines = Array.from(
  { length: 300 },
  (_, i) => `line ${i} of a text that repeats itself: ${'ab'.repeat(i)}`,
);

afterAll(() => bus.close());

/** Kafka's own console producer: what a Java client puts on the wire. */
async function produceWithJava(topic: string, codec: string): Promise<void> {
  const flags = ['--bootstrap-server', stack.kafkaBrokers, '--topic', topic, '--compression-codec', codec];
  const java = spawn(
    'java',
    [
      '-Xmx128m',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      join(toolchainPath(process.env, 'kafka'), '*'),
      'org.apache.kafka.tools.ConsoleProducer',
      ...flags,
    ],
    { stdio: ['pipe', 'ignore', 'pipe'] },
  );
  let errors = '';
  java.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  java.stdin.end(`${lines.join('\n')}\n`);
  const [code] = (await once(java, 'close')) as [number];
  if (code !== 0) throw new Error(errors);
}

test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'])(
  'record batches that a Java client compressed with %s are read (pain 6)',
  async (codec) => {
    const topic = `${stack.topicPrefix}${codec}`;
    const spec = {
      topic,
      partitions: 1,
      replicationFactor: 1,
      retentionMs: 600_000,
      maxMessageBytes: 1_048_576,
    };
    await bus.ensureTopics([spec]);
    await produceWithJava(topic, codec);
    const seen: string[] = [];
    await bus.readRange({
      topic,
      from: 'earliest',
      handle: (message) => seen.push(message.value!.toString()),
    });
    expect(seen).toEqual(lines);
  },
  60_000,
);
