/** One call there and back. */
export type Call = () => Promise<void>;

export interface Figures {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

export class Latencies {
  private readonly micros: number[] = [];
  private seconds = 0;

  /** `concurrency` loops of calls for so long. */
  async run(call: Call, concurrency: number, ms: number, keep = true): Promise<void> {
    const started = performance.now();
    const end = started + ms;
    const loop = async (): Promise<void> => {
      while (performance.now() < end) {
        const before = performance.now();
        await call();
        if (keep) this.micros.push((performance.now() - before) * 1_000);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    if (keep) this.seconds += (performance.now() - started) / 1_000;
  }

  figures(): Figures {
    const sorted = Float64Array.from(this.micros).sort();
    const at = (share: number): number =>
      Number((sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(1));
    const perSecond = Math.round(sorted.length / this.seconds);
    return { requests: sorted.length, perSecond, p50Us: at(0.5), p99Us: at(0.99) };
  }
}

/** All ways in turns, so that they see the same machine; the first turn warms up. */
export async function measureInTurns(
  ways: ReadonlyMap<string, Call>,
  concurrency: number,
  seconds: number,
): Promise<Map<string, Figures>> {
  const turns = 5;
  const latencies = new Map([...ways.keys()].map((name) => [name, new Latencies()]));
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const [name, call] of ways) {
      await latencies.get(name)!.run(call, concurrency, (seconds * 1_000) / turns, turn > 0);
    }
  }
  return new Map([...latencies].map(([name, taken]) => [name, taken.figures()]));
}
