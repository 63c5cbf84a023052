import { Latencies, type Call, type Figures } from '../dataplane/measure';

const turns = 5;

/**
 * All ways in turns, so that they see the same machine; the first turn warms up. Before each turn `settle` takes away
 * what the way before has left to be collected, and one call that doesn't count warms up.
 */
export async function measureSettled(
  ways: ReadonlyMap<string, Call>,
  concurrency: number,
  seconds: number,
  settle: () => Promise<void>,
): Promise<Map<string, Figures>> {
  const latencies = new Map([...ways.keys()].map((name) => [name, new Latencies()]));
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const [name, call] of ways) {
      await settle();
      await call();
      await latencies.get(name)!.run(call, concurrency, (seconds * 1_000) / turns, turn > 0);
    }
  }
  return new Map([...latencies].map(([name, taken]) => [name, taken.figures()]));
}
