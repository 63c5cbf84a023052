import { standardScenario } from '#policy/scheduling/simulation/standard-scenario';
import { compare } from './compare';

/** What fifo takes where memory is no limit, and what becomes of both in a quarter of it. */
export function withinAQuarter(seeds: readonly number[], bursts: number) {
  const plenty = { poolBytes: 2 ** 34, arenaBytes: 2 ** 40 };
  const free = compare(seeds.map((seed) => standardScenario({ ...plenty, bursts, seed })));
  const quarter = {
    poolBytes: Math.floor((free.fifo['poolPeakMiB']! * 2 ** 20) / 4),
    arenaBytes: Math.floor((free.fifo['arenaPeakMiB']! * 2 ** 20) / 4),
  };
  const within = compare(seeds.map((seed) => standardScenario({ ...quarter, bursts, seed })));
  return { free, within };
}
