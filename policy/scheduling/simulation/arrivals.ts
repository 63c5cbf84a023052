import type { WaitingShard } from '../scheduler';
import { mixedRandom } from './mixed-random';

export interface SimulatedShard extends WaitingShard {
  readonly arrivesMs: number;
  /** Of the noise in its times. */
  readonly seed: number;
}

export interface BurstOptions {
  readonly seed: number;
  readonly models: readonly string[];
  readonly bursts: number;
  readonly burstEveryMs: number;
  readonly roundsPerBurst: number;
  /** Shards of a round, from 1. */
  readonly mostShards: number;
  /** Rounds differ by this factor in the size of their shards; the small ones are as frequent as the large ones. */
  readonly leastSize: number;
  readonly sizeFactor: number;
  /** From the burst to the deadline, evenly between. */
  readonly deadlineMs: readonly [number, number];
  readonly poolBytesPerUnit: number;
  readonly arenaBytesPerUnit: number;
}

/** Rounds in bursts; the shards of a round are about equal in size. */
export function burstArrivals(options: BurstOptions): SimulatedShard[] {
  const random = mixedRandom(options.seed);
  const shards: SimulatedShard[] = [];
  for (let burst = 0; burst < options.bursts; burst += 1) {
    for (let round = 0; round < options.roundsPerBurst; round += 1) {
      const arrivesMs = burst * options.burstEveryMs;
      const model = options.models[random.below(options.models.length)]!;
      const size = options.leastSize * options.sizeFactor ** random.unit();
      const [least, most] = options.deadlineMs;
      const deadlineMs = arrivesMs + least + (most - least) * random.unit();
      const count = 1 + random.below(options.mostShards);
      for (let index = 0; index < count; index += 1) {
        const ownSize = Math.max(1, Math.round(size * (0.97 + 0.06 * random.unit())));
        shards.push({
          id: `${burst}/${round}/${index}`,
          model,
          size: ownSize,
          deadlineMs,
          arrivesMs,
          poolBytes: Math.ceil(ownSize * options.poolBytesPerUnit),
          arenaBytes: Math.ceil(ownSize * options.arenaBytesPerUnit),
          seed: options.seed * 1_000_003 + shards.length,
        });
      }
    }
  }
  return shards;
}
