/** What one process holds at one time. */
export interface Sample {
  readonly atMs: number;
  readonly rssMb: number;
  readonly fds: number;
  /** Of Node's event loop; NaN where the process has none, or did not answer. */
  readonly handles: number;
}

type Quantity = 'rssMb' | 'fds' | 'handles';

const hourMs = 3_600_000;
/** More pairs tell nothing more. */
const mostSamples = 240;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function thinned(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.ceil(samples.length / mostSamples);
  return samples.filter((_, i) => i % step === 0);
}

/** Growth an hour: the median of the slopes between all pairs (Theil and Sen), so that single peaks count little. NaN for fewer than two. */
export function growthPerHour(all: readonly Sample[], quantity: Quantity): number {
  const samples = thinned(all.filter((sample) => Number.isFinite(sample[quantity])));
  const slopes = samples.flatMap((later, i) =>
    samples
      .slice(0, i)
      .filter((earlier) => earlier.atMs < later.atMs)
      .map((earlier) => (later[quantity] - earlier[quantity]) / (later.atMs - earlier.atMs)),
  );
  return median(slopes) * hourMs;
}

export interface Growth {
  /** Of the life that is judged. */
  readonly minutes: number;
  readonly rssMb: number;
  readonly rssMbPerHour: number;
  readonly fdsPerHour: number;
  readonly handlesPerHour: number;
  /** Null where it lived too short to tell. */
  readonly grows: boolean | null;
}

/** A process settles for so long. */
const settlesMs = 5 * 60_000;
const leastMinutes = 25;
/** Above these it grows. */
const limits = { rssMb: 40, fds: 4, handles: 4 };

/** Of one life of a process. */
export function growthOf(life: readonly Sample[]): Growth {
  const begin = (life[0]?.atMs ?? 0) + settlesMs;
  const settled = life.filter(({ atMs }) => atMs >= begin);
  const counted = settled.length > 2 ? settled : life;
  const minutes = ((counted.at(-1)?.atMs ?? 0) - (counted[0]?.atMs ?? 0)) / 60_000;
  const [rss, fds, handles] = (['rssMb', 'fds', 'handles'] as const).map((one) =>
    growthPerHour(counted, one),
  );
  const tooMuch = rss! > limits.rssMb || fds! > limits.fds || handles! > limits.handles;
  return {
    minutes: Number(minutes.toFixed(1)),
    rssMb: Number((life.at(-1)?.rssMb ?? NaN).toFixed(1)),
    rssMbPerHour: Number(rss!.toFixed(2)),
    fdsPerHour: Number(fds!.toFixed(2)),
    handlesPerHour: Number(handles!.toFixed(2)),
    grows: minutes < leastMinutes ? null : tooMuch,
  };
}
