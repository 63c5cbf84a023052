import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolchainPath } from '#launcher/toolchain';
import type { BusMessage } from '#lib/bus/port';
import { Prng } from '#policy/simulation/city/prng';
import { headers } from '#schemas/topics';
import { check, equal, timing, type Check, type Drill, type DrillContext } from '../drill';
import { stealSequence } from '../steal-sequence';
import { solvesAgain, underLoad } from '../rounds/under-load';
import type { Stand } from '../stand/stand';
import { until } from '../until';

/** Kafka's own console producer: what a Java client puts on the wire. */
async function produceWithJava(broker: string, topic: string, codec: string, lines: readonly string[]) {
  const flags = ['--bootstrap-server', broker, '--topic', topic, '--compression-codec', codec];
  const path = join(toolchainPath(process.env, 'kafka'), '*');
  const java = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', path, 'org.apache.kafka.tools.ConsoleProducer'];
  const child = spawn('java', [...java, ...flags], { stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  child.stdin.end(`${lines.join('\n')}\n`);
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(errors);
}

async function lettersSince(stand: Stand, from: number): Promise<BusMessage[]> {
  const letters: BusMessage[] = [];
  const handle = (message: BusMessage): void => {
    if (message.timestamp >= from) letters.push(message);
  };
  await stand.bus.readRange({ topic: stand.topics.deadLetters, from: 'earliest', handle });
  return letters;
}

async function codecs({ stand }: DrillContext): Promise<Check[]> {
  const from = Date.now();
  const kinds = ['gzip', 'snappy', 'lz4', 'zstd'];
  const linesOf = (codec: string) =>
    Array.from({ length: 20 }, (_, i) => `${codec} ${i} ${'ab'.repeat(50 * i)}`);
  for (const codec of kinds) {
    await produceWithJava(stand.servers.broker.address, stand.topics.shards, codec, linesOf(codec));
  }
  let texts = new Set<string>();
  const wanted = kinds.flatMap(linesOf);
  await until(async () => {
    const letters = await lettersSince(stand, from);
    texts = new Set(letters.map(({ value }) => value?.toString() ?? ''));
    return wanted.every((line) => texts.has(line));
  }, 'every line is a dead letter').catch(() => undefined);
  const read = (codec: string) => linesOf(codec).filter((line) => texts.has(line)).length;
  return [
    ...kinds.map((codec) => equal(`${codec}: lines read, dead-lettered byte for byte`, 20, read(codec))),
    timing('a round solved whole after', 10_000, await solvesAgain(stand)),
  ];
}

const rssMb = (pid: number): number =>
  (Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;

/** Real records with bytes changed, cut or grown, counts of billions, and noise. */
function hostile(prng: Prng, real: readonly Buffer[]): Buffer {
  const bytes = Buffer.from(prng.pick(real));
  const kind = prng.whole(0, 4);
  if (kind === 0) return bytes.subarray(0, prng.whole(0, bytes.length));
  if (kind === 1) return Buffer.concat([bytes, bytes.subarray(0, prng.whole(1, 100))]);
  if (kind === 2) return Buffer.from(Array.from({ length: prng.whole(1, 500) }, () => prng.whole(0, 255)));
  const at = prng.whole(10, Math.max(10, bytes.length - 10));
  // A block count of 2^40 in Avro's zig-zag bytes.
  if (kind === 3)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from('808080808040', 'hex'), bytes.subarray(at)]);
  for (let i = 0; i < prng.whole(1, 8); i++) bytes[prng.whole(10, bytes.length - 1)] = prng.whole(0, 255);
  return bytes;
}

async function realRecords(stand: Stand, topic: string): Promise<Buffer[]> {
  const found: Buffer[] = [];
  await stand.bus.readRange({
    topic,
    from: 'earliest',
    handle: ({ value }) => void (value && found.push(value)),
  });
  return found.slice(-20);
}

async function hostileBytes({ stand, of, seed }: DrillContext): Promise<Check[]> {
  const prng = new Prng(seed);
  const from = Date.now();
  const count = of(1_000, 100);
  const producer = await stand.bus.producer();
  const names = ['worker', 'aggregator', 'ingest'];
  const pids = () => names.map((name) => stand.pid(name));
  const [before, started] = [pids().map(rssMb), pids()];
  for (const topic of [stand.topics.shards, stand.topics.rounds, stand.topics.outcomes]) {
    const real = await realRecords(stand, topic);
    const messages = Array.from({ length: count }, (_, i) => ({
      topic,
      key: `hostile-${i}`,
      value: hostile(prng, real),
    }));
    for (let i = 0; i < count; i += 50) await producer.send(messages.slice(i, i + 50));
  }
  await producer.close();
  const again = await solvesAgain(stand);
  const letters = await lettersSince(stand, from);
  const grown = Math.max(...pids().map((pid, i) => rssMb(pid) - before[i]!));
  const untyped = letters.filter((letter) => letter.headers[headers.deadLetterCode] === undefined).length;
  return [
    check(
      'dead letters',
      '≥ 1, each with a typed reason',
      `${letters.length}, ${untyped} without`,
      letters.length > 0 && untyped === 0,
    ),
    equal('processes that ended', 0, pids().filter((pid, i) => pid !== started[i]).length),
    check('largest growth of resident memory', '≤ 150 MB', `${grown.toFixed(0)} MB`, grown <= 150),
    timing('a round solved whole after', 20_000, again),
  ];
}

export const byteDrills: readonly Drill[] = [
  {
    name: 'producer-sequence',
    row: '5',
    fault: 'the sequence numbers of ingest’s producer are used up by somebody else: OUT_OF_ORDER_SEQUENCE',
    expected: 'the producer is made anew; every round is accepted and decided',
    alerts: ['RoundhouseDeadLetters'],
    console: { where: /worker|aggregator/, words: /dead-lettered/ },
    inQuick: true,
    run: (context) =>
      underLoad(context, 'sequence', { everyMs: 100 }, async () => {
        const { stand } = context;
        const stolen = await stealSequence(stand.kafka(), stand.servers.broker.address, stand.topics.rounds);
        return [
          check('partitions whose sequence was stolen', '≥ 1', stolen, stolen > 0),
          timing('a round solved whole after', 10_000, await solvesAgain(stand)),
        ];
      }),
  },
  {
    name: 'codecs',
    row: '6',
    fault: 'a Java client puts batches on the shards’ topic, compressed by gzip, snappy, lz4 and zstd',
    expected: 'all read (and, being no shards, dead-lettered byte for byte); the consumer goes on',
    alerts: ['RoundhouseDeadLetters'],
    console: { where: /worker/, words: /dead-lettered/ },
    inQuick: false,
    run: codecs,
  },
  {
    name: 'hostile-bytes',
    row: '13',
    fault:
      '3,000 hostile messages on shards, rounds and outcomes (300 in CI): bits, cuts, counts of 2^40, noise',
    expected: 'dead letters with typed reasons; memory bounded; nothing ends',
    alerts: ['RoundhouseDeadLetters'],
    console: { where: /worker|aggregator/, words: /dead-lettered/ },
    inQuick: true,
    run: (context) => underLoad(context, 'hostile', { everyMs: 400 }, () => hostileBytes(context)),
  },
];
