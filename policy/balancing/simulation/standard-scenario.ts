import { mixedRandom } from '../../scheduling/simulation/mixed-random';
import type { Fault, Network, Scenario, SimulatedEngine, SimulatedShard } from './scenario';

export interface StandardOptions {
  readonly seed: number;
  readonly engines: number;
  readonly workers: number;
  readonly speeds: readonly number[];
  /** What comes over what all engines together could do. */
  readonly load: number;
  readonly durationMs: number;
  readonly roundsPerBurst: number;
  readonly deadlineMs: readonly [number, number];
  readonly reportEveryMs: number;
  readonly network: Network;
  readonly faults: readonly Fault[];
  readonly hidden: readonly number[];
}

export const standardOptions: StandardOptions = {
  seed: 1,
  engines: 1_000,
  workers: 50,
  speeds: [1, 0.5, 0.2],
  load: 0.7,
  durationMs: 3_000,
  roundsPerBurst: 10,
  deadlineMs: [400, 1_500],
  reportEveryMs: 0,
  network: { oneWayMs: 0.25, bytesPerMs: 200_000 },
  faults: [],
  hidden: [],
};

const msPerUnit: Readonly<Record<string, number>> = { light: 0.03, heavy: 0.08 };
const models = Object.keys(msPerUnit);
const mostShards = 12;
const leastSize = 50;
const sizeFactor = 20;
const bytesPerUnit = 512;
/** Means of the above: (1 + 12) / 2, 50 × 19 / ln 20, (0.03 + 0.08) / 2. */
const meanShards = (1 + mostShards) / 2;
const meanServiceMs = ((leastSize * (sizeFactor - 1)) / Math.log(sizeFactor)) * 0.055 + 1;

/** Bursts of 10 rounds of 1 to 12 shards of 50 to 1,000 candidates, each at one of the workers, as often as the load says. */
export function standardScenario(changes: Partial<StandardOptions> = {}): Scenario {
  const options = { ...standardOptions, ...changes };
  const { seed, workers, faults, network, reportEveryMs } = options;
  const engines: SimulatedEngine[] = Array.from({ length: options.engines }, (_, index) => {
    return { name: `engine-${index}`, speed: options.speeds[index % options.speeds.length]!, lanes: 1 };
  });
  const speed = engines.reduce((sum, one) => sum + one.speed, 0);
  const burstMs = (options.roundsPerBurst * meanShards * meanServiceMs) / speed / options.load;
  const shards = arrivals(options, burstMs);
  return {
    seed,
    engines,
    workers,
    shards,
    faults,
    network,
    reportEveryMs,
    spread: 0.2,
    hidden: new Set(options.hidden),
  };
}

function arrivals(options: StandardOptions, burstMs: number): SimulatedShard[] {
  const random = mixedRandom(options.seed);
  const shards: SimulatedShard[] = [];
  for (let atMs = 0; atMs < options.durationMs; atMs += burstMs * (0.5 + random.unit())) {
    const worker = random.below(options.workers);
    for (let round = 0; round < options.roundsPerBurst; round += 1) {
      const model = models[random.below(models.length)]!;
      const size = Math.round(leastSize * sizeFactor ** random.unit());
      const [least, most] = options.deadlineMs;
      const deadlineMs = atMs + least + (most - least) * random.unit();
      const count = 1 + random.below(mostShards);
      for (let index = 0; index < count; index += 1) {
        const serviceMs = 1 + msPerUnit[model]! * size;
        const id = shards.length;
        shards.push({
          id,
          worker,
          model,
          size,
          bytes: bytesPerUnit * size,
          arrivesMs: atMs,
          deadlineMs,
          serviceMs,
        });
      }
    }
  }
  return shards;
}
