import { setTimeout as sleep } from 'node:timers/promises';
import type { Prng } from '#policy/simulation/city/prng';
import { faultyRequest } from '../drill/drills/engine';
import type { Stand } from '../drill/stand/stand';
import { until } from '../drill/until';

export interface SoakFault {
  readonly name: string;
  /** How often it comes, beside the others. */
  readonly weight: number;
  /** What doesn't outlive it. */
  readonly ends: 'service' | 'engine' | 'nothing';
  make(stand: Stand, prng: Prng): Promise<void>;
}

const killed = (name: string, weight: number): SoakFault => ({
  name: `kill-${name}`,
  weight,
  ends: 'service',
  make: async (stand) => {
    await stand.kill(name);
    await stand.restart(name);
  },
});

const onLine = (
  name: string,
  weight: number,
  begin: (stand: Stand) => Promise<void> | void,
  end: (stand: Stand) => Promise<void> | void,
  seconds: readonly [number, number],
): SoakFault => ({
  name,
  weight,
  ends: 'nothing',
  make: async (stand, prng) => {
    await begin(stand);
    await sleep(1_000 * prng.whole(...seconds));
    await end(stand);
  },
});

const stopped = (name: string, weight: number, seconds: readonly [number, number]): SoakFault =>
  onLine(
    `stop-${name}`,
    weight,
    (stand) => void process.kill(stand.pid(name), 'SIGSTOP'),
    (stand) => void process.kill(stand.pid(name), 'SIGCONT'),
    seconds,
  );

/** Ends the engine by a request or a signal, and waits for the next one. */
const engineEnds = (name: string, weight: number, end: (stand: Stand) => Promise<unknown>): SoakFault => ({
  name,
  weight,
  ends: 'engine',
  make: async (stand) => {
    const before = stand.pid('engine');
    await end(stand);
    await until(() => ![null, before].includes(stand.pidOrNull('engine')), 'another engine', 30_000);
  },
});

const guest: SoakFault = {
  name: 'rebalances',
  weight: 2,
  ends: 'nothing',
  make: async (stand, prng) => {
    for (let i = prng.whole(1, 4); i > 0; i--) {
      const consumer = stand.bus.windowedConsumer({
        groupId: 'inference-worker',
        topics: [stand.topics.shards],
        window: 4,
        drainMs: 1,
        handle: () => new Promise<void>(() => undefined),
      });
      await consumer.start();
      await sleep(300);
      await consumer.stop();
    }
  },
};

export const faults: readonly SoakFault[] = [
  killed('worker', 2),
  killed('aggregator', 2),
  killed('ingest', 2),
  killed('redis', 1),
  killed('broker', 1),
  engineEnds('kill-engine', 3, (stand) => stand.kill('engine')),
  engineEnds('stop-engine', 2, (stand) => Promise.resolve(process.kill(stand.pid('engine'), 'SIGSTOP'))),
  engineEnds('device-fault', 2, (stand) => faultyRequest(stand, { device_fault: true }, 5_000)),
  stopped('broker', 2, [1, 6]),
  stopped('redis', 2, [1, 6]),
  stopped('worker', 1, [1, 4]),
  onLine(
    'redis-cut',
    3,
    ({ servers }) => servers.redisLine.set('cut'),
    ({ servers }) => servers.redisLine.set('open'),
    [1, 10],
  ),
  onLine(
    'kafka-cut',
    2,
    ({ servers }) => servers.kafkaLine.set('cut'),
    ({ servers }) => servers.kafkaLine.set('open'),
    [1, 6],
  ),
  onLine(
    'kafka-muted',
    1,
    ({ servers }) => servers.kafkaLine.set('muted'),
    ({ servers }) => servers.kafkaLine.set('open'),
    [1, 6],
  ),
  onLine(
    'slow-network',
    2,
    ({ servers }) => [servers.kafkaLine, servers.redisLine].forEach((line) => line.delay(40)),
    ({ servers }) => [servers.kafkaLine, servers.redisLine].forEach((line) => line.delay(0)),
    [5, 20],
  ),
  guest,
];

const killable = [['service', 'engine', 'nothing'], ['engine', 'nothing'], ['nothing']] as const;

/**
 * The same for the same seed. Any process may end in the first third (0) of a soak, engines in the second, none in the
 * last: so each lives long enough to tell whether it grows.
 */
export function drawFault(prng: Prng, third: 0 | 1 | 2): SoakFault {
  const choice = faults.filter(({ ends }) => (killable[third] as readonly string[]).includes(ends));
  return choice[prng.weighted(choice.map(({ weight }) => weight))]!;
}
