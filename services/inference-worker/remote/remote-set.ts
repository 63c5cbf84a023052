import { within } from '#lib/within';
import type { Router } from '#policy/balancing/router';
import type { RemoteEngine } from './remote-engine';
import type { RemoteEntry } from './remote-entry';
import type { RemoteEvents } from './remote-events';

export interface RemoteSetParts {
  readonly router: Router;
  readonly connect: (entry: RemoteEntry) => RemoteEngine;
  /** Whether this worker itself is there. */
  readonly isOwn?: (address: string) => boolean;
  readonly events: Pick<
    RemoteEvents,
    'RemoteFound' | 'RemoteGone' | 'RemoteUsable' | 'RemotesKnown' | 'RemoteIsOwn' | 'RemoteSilent'
  >;
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
  private listed: readonly RemoteEntry[] = [];
  private own: ReadonlySet<string> = new Set();
  /** What was told of each. */
  private readonly silent = new Map<string, string>();
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
    this.listed = entries;
    const others = this.withoutOwn(entries);
    const wanted = new Map(others.map((entry) => [entry.name, entry]));
    for (const [name, { entry }] of this.engines) {
      const next = wanted.get(name);
      if (next === undefined || !isSame(entry, next)) this.remove(name);
    }
    for (const entry of others) if (!this.engines.has(entry.name)) this.add(entry);
    this.look();
  }

  /** `isOwn` may say something else now. */
  lookAgain(): void {
    this.replace(this.listed);
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

  private withoutOwn(entries: readonly RemoteEntry[]): readonly RemoteEntry[] {
    const { isOwn, events } = this.parts;
    const own = entries.filter(({ address }) => isOwn?.(address) === true);
    for (const { name, address } of own) if (!this.own.has(address)) events.RemoteIsOwn({ name, address });
    this.own = new Set(own.map(({ address }) => address));
    return entries.filter(({ address }) => !this.own.has(address));
  }

  private add(entry: RemoteEntry): void {
    this.engines.set(entry.name, this.parts.connect(entry));
    this.parts.router.add(entry.name);
    this.parts.events.RemoteFound({ ...entry });
  }

  private remove(name: string): void {
    const engine = this.engines.get(name)!;
    this.engines.delete(name);
    this.silent.delete(name);
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
    const answer = engine?.isUsable() ?? Promise.resolve(false);
    const isGood = await within(probeTimeoutMs, answer, silence).catch(() => false);
    if (this.engines.get(name) !== engine) return;
    router.probed(name, isGood, performance.now());
    if (isGood) this.silent.delete(name);
    else if (engine !== undefined) this.tellSilent(engine);
    this.mark(name, router.remote(name)?.health.isOut === false);
  }

  private tellSilent({ entry: { name, address }, whySilent }: RemoteEngine): void {
    const reason = whySilent() ?? 'it did not answer in time, or is not live';
    if (this.silent.get(name) === reason) return;
    this.silent.set(name, reason);
    this.parts.events.RemoteSilent({ name, address, reason });
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

const silence = () => new Error('no answer to a probe');

function isSame(a: RemoteEntry, b: RemoteEntry): boolean {
  return a.address === b.address && a.kind === b.kind && a.device === b.device;
}
