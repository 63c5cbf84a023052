import type { Router } from '#policy/balancing/router';
import type { RemoteEngine } from './remote-engine';
import type { RemoteEntry } from './remote-entry';
import type { RemoteEvents } from './remote-events';

export interface RemoteSetParts {
  readonly router: Router;
  readonly connect: (entry: RemoteEntry) => RemoteEngine;
  readonly events: Pick<RemoteEvents, 'RemoteFound' | 'RemoteGone' | 'RemoteUsable' | 'RemotesKnown'>;
  /** A probe without an answer until then has failed. */
  readonly probeTimeoutMs?: number;
}

const lookEveryMs = 50;
const defaultProbeTimeoutMs = 500;
const seeThroughMs = 60_000;

/** The remotes that are known, each with its connection; those that are out are asked whether they live. */
export class RemoteSet {
  private readonly engines = new Map<string, RemoteEngine>();
  /** Gone; what they still have may end. */
  private readonly leaving = new Set<RemoteEngine>();
  private readonly usable = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly parts: RemoteSetParts) {
    this.timer = setInterval(() => this.look(), lookEveryMs);
    this.timer.unref();
  }

  get(name: string): RemoteEngine | undefined {
    return this.engines.get(name);
  }

  /** Those that get work now. */
  get usableCount(): number {
    return this.usable.size;
  }

  /** Called when another one is usable, or no more. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** What is there from now on. One with another address is another one. */
  replace(entries: readonly RemoteEntry[]): void {
    const wanted = new Map(entries.map((entry) => [entry.name, entry]));
    for (const [name, { entry }] of this.engines) {
      const next = wanted.get(name);
      if (next === undefined || !isSame(entry, next)) this.remove(name);
    }
    for (const entry of entries) if (!this.engines.has(entry.name)) this.add(entry);
    this.look();
  }

  /** Told after each attempt, by whose end a remote may have gone out. */
  look(): void {
    const { router } = this.parts;
    for (const name of router.probesDue(performance.now())) void this.probe(name);
    for (const name of this.engines.keys()) this.mark(name, router.remote(name)?.health.isOut === false);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    const engines = [...this.engines.values(), ...this.leaving];
    this.engines.clear();
    this.leaving.clear();
    await Promise.all(engines.map((engine) => engine.close()));
  }

  private add(entry: RemoteEntry): void {
    this.engines.set(entry.name, this.parts.connect(entry));
    this.parts.router.add(entry.name);
    this.parts.events.RemoteFound({ ...entry });
  }

  private remove(name: string): void {
    const engine = this.engines.get(name)!;
    this.engines.delete(name);
    this.parts.router.remove(name);
    this.mark(name, false);
    this.parts.events.RemoteGone({ name });
    this.leaving.add(engine);
    setTimeout(() => this.letGo(engine), seeThroughMs).unref();
  }

  private letGo(engine: RemoteEngine): void {
    if (this.leaving.delete(engine)) void engine.close();
  }

  private async probe(name: string): Promise<void> {
    const { router, probeTimeoutMs = defaultProbeTimeoutMs } = this.parts;
    const engine = this.engines.get(name);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>(
      (resolve) => (timer = setTimeout(() => resolve(false), probeTimeoutMs)),
    );
    const isGood = await Promise.race([engine?.isUsable().catch(() => false) ?? false, late]);
    clearTimeout(timer);
    if (this.engines.get(name) !== engine) return;
    router.probed(name, isGood, performance.now());
    this.mark(name, router.remote(name)?.health.isOut === false);
  }

  private mark(name: string, isUsable: boolean): void {
    const { usable, engines } = this;
    if (usable.has(name) === isUsable) return;
    if (isUsable) usable.add(name);
    else usable.delete(name);
    this.parts.events.RemoteUsable({ name, usable: isUsable });
    this.parts.events.RemotesKnown({ usable: usable.size, known: engines.size });
    for (const listener of this.listeners) listener();
  }
}

function isSame(a: RemoteEntry, b: RemoteEntry): boolean {
  return a.address === b.address && a.kind === b.kind && a.device === b.device;
}
