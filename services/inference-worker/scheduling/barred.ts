import type { UnixMs } from '#schemas/brands';
import type { EngineDevice } from './engine-device';

interface Entry {
  readonly work: { readonly failedOn: ReadonlySet<string> };
  readonly until: UnixMs;
}

/**
 * Shards that were lost with engines: while every engine that is up is one of those they are kept from the scheduler,
 * where they would stand before the others.
 */
export class Barred<T extends Entry> {
  private readonly kept = new Map<T, NodeJS.Timeout>();

  constructor(
    private readonly devices: readonly EngineDevice[],
    private readonly onLate: (entry: T) => void,
  ) {}

  get size(): number {
    return this.kept.size;
  }

  /** Whether there are engines, and none that may have it. */
  isBarred(failedOn: ReadonlySet<string>): boolean {
    if (failedOn.size === 0) return false;
    const up = this.devices.filter(({ link }) => link.current() !== null);
    return up.length > 0 && up.every(({ engine }) => failedOn.has(engine));
  }

  keep(entry: T): void {
    const leftMs = Math.max(0, entry.until - Date.now());
    const end = (): void => {
      this.kept.delete(entry);
      this.onLate(entry);
    };
    this.kept.set(entry, setTimeout(end, leftMs));
  }

  remove(entry: T): boolean {
    clearTimeout(this.kept.get(entry));
    return this.kept.delete(entry);
  }

  /** Those that an engine may have now, or that wait for one as all others do. */
  takeFree(): T[] {
    return this.take(({ work }) => !this.isBarred(work.failedOn));
  }

  takeAll(): T[] {
    return this.take(() => true);
  }

  private take(isTaken: (entry: T) => boolean): T[] {
    const taken = [...this.kept.keys()].filter(isTaken);
    for (const entry of taken) this.remove(entry);
    return taken;
  }
}
