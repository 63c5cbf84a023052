import { readdirSync } from 'node:fs';
import { rssMb } from '../pipeline/process-usage';
import { scrape, total } from '../drill/metrics';
import type { Stand } from '../drill/stand/stand';
import { growthOf, type Growth, type Sample } from './slopes';

const services = ['ingest', 'worker', 'aggregator', 'ops'];
const names = ['broker', 'redis', ...services, 'engine'];

export interface Lives extends Growth {
  readonly lives: number;
}

/** What each process holds over time, by its life. */
export class LifeBook {
  private readonly samples = new Map<string, Map<number, Sample[]>>();

  async sample(stand: Stand): Promise<void> {
    const atMs = performance.now();
    const handles = new Map<string, number>();
    await Promise.all(
      services.map(async (name) => {
        const series = await scrape(stand.url(name, '/metrics')).catch(() => null);
        if (series !== null) handles.set(name, total(series, 'nodejs_active_handles_total'));
      }),
    );
    for (const name of names) this.note(stand, name, atMs, handles.get(name) ?? NaN);
    this.noteOwn(atMs);
  }

  private note(stand: Stand, name: string, atMs: number, handles: number): void {
    const pid = stand.pidOrNull(name);
    if (pid === null) return;
    try {
      const fds = readdirSync(`/proc/${pid}/fd`).length;
      this.add(name, pid, { atMs, rssMb: rssMb(pid), fds, handles });
    } catch {
      // It has ended meanwhile.
    }
  }

  private noteOwn(atMs: number): void {
    const fds = readdirSync('/proc/self/fd').length;
    this.add('soak', process.pid, { atMs, rssMb: process.memoryUsage().rss / 1e6, fds, handles: NaN });
  }

  private add(name: string, pid: number, sample: Sample): void {
    const lives = this.samples.get(name) ?? new Map<number, Sample[]>();
    this.samples.set(name, lives);
    lives.set(pid, [...(lives.get(pid) ?? []), sample]);
  }

  /** Of each process the longest life. */
  growth(): Record<string, Lives> {
    const longest = (lives: Map<number, Sample[]>): Sample[] =>
      [...lives.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    const entries = [...this.samples].map(([name, lives]) => [
      name,
      { lives: lives.size, ...growthOf(longest(lives)) },
    ]);
    return Object.fromEntries(entries) as Record<string, Lives>;
  }
}
