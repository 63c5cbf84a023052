import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/<pid>/stat: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** User and system CPU time of a process, seconds. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory of a process, MB of 1,000,000 bytes. */
export function rssMb(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return (Number(match?.[1]) * 1024) / 1e6;
}

/** Resident memory over time, one series a process. */
export class MemorySeries {
  private readonly samples = new Map<string, { atMs: number; mb: number }[]>();

  constructor(private readonly pids: ReadonlyMap<string, number>) {}

  sample(atMs: number): void {
    for (const [name, pid] of this.pids) {
      const series = this.samples.get(name) ?? [];
      series.push({ atMs, mb: rssMb(pid) });
      this.samples.set(name, series);
    }
  }

  /** Median of the last ten samples up to `untilMs`: one garbage collection more or less is no growth. */
  private level(name: string, untilMs: number): number {
    const series = (this.samples.get(name) ?? []).filter((sample) => sample.atMs <= untilMs).slice(-10);
    const sorted = series.map((sample) => sample.mb).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  }

  /** Memory at the end by process. */
  last(): Record<string, number> {
    return Object.fromEntries([...this.pids.keys()].map((name) => [name, this.level(name, Infinity)]));
  }

  /** Growth by process from `sinceMs` to the end. */
  growth(sinceMs: number): Record<string, number> {
    const grown = (name: string): number => this.level(name, Infinity) - this.level(name, sinceMs);
    return Object.fromEntries([...this.pids.keys()].map((name) => [name, grown(name)]));
  }
}
