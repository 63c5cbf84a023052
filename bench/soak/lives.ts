import { readdirSync, readlinkSync } from 'node:fs';
import { rssMb } from '../pipeline/process-usage';
import { scrape, total } from '../drill/metrics';
import type { Stand } from '../drill/stand/stand';
import { growthOf, type Growth, type Sample } from './slopes';

/** Their files are data: segments of topics come with what is sent. Of their descriptors connections count. */
const servers = ['broker', 'redis'];
const services = ['ingest', 'worker', 'aggregator', 'ops'];
const names = [...servers, ...services, 'engine'];

export interface Lives extends Growth {
  readonly lives: number;
}

function openDescriptors(name: string, pid: number): number {
  const folder = `/proc/${pid}/fd`;
  const all = readdirSync(folder);
  if (!servers.includes(name)) return all.length;
  return all.filter((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).startsWith('socket:');
    } catch {
      return false; // Closed meanwhile.
    }
  }).length;
}

/** What each process of the pipeline holds over time, by its life. */
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
  }

  private note(stand: Stand, name: string, atMs: number, handles: number): void {
    const pid = stand.pidOrNull(name);
    if (pid === null) return;
    try {
      const fds = openDescriptors(name, pid);
      this.add(name, pid, { atMs, rssMb: rssMb(pid), fds, handles });
    } catch {
      // It has ended meanwhile.
    }
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
