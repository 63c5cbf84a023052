import type { EngineClient } from '#lib/engine-client/port';
import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import type { UnixMs } from '#schemas/brands';
import { WantedModels } from './sentinel/wanted-models';

interface Waiter {
  wake(client: EngineClient | null): void;
}

/**
 * The engine as the rest of the worker sees it: up with a client, or down with a reason. Whoever needs it
 * while it is down waits here; nobody waits when the work is handed over to other workers.
 */
export class EngineLink {
  private client: EngineClient | null = null;
  private socketAddress: string | null = null;
  private reason: string | null = 'the engine has not started yet';
  private handedOver = false;
  private device = 'cpu';
  private lacksConfinement = '';
  private readonly waiters = new Set<Waiter>();
  private readonly listeners = new Set<(reason: string | null) => void>();
  private readonly watchers = new Set<() => void>();
  private closed = false;

  /** As it stands in outcomes: byte-equal replay holds for one device kind. */
  get deviceKind(): string {
    return this.device;
  }

  /** What of its confinement doesn't hold; empty where all does, and while it is down. */
  get unconfined(): string {
    return this.client === null ? '' : this.lacksConfinement;
  }

  /** How many engines have been active so far. */
  incarnation = 0;

  /** Whoever forwards a load or unload notes it here when the engine has carried it out (docs/sentinel.md). */
  readonly models: WantedModels;

  /** The engines of a worker have the same models. */
  constructor(models = new WantedModels()) {
    this.models = models;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Called when another engine is active, when none is any more, and when the link is closed. */
  onChange(watcher: () => void): void {
    this.watchers.add(watcher);
  }

  /** null when up. */
  whyDown(): string | null {
    return this.client === null ? this.reason : null;
  }

  current(): EngineClient | null {
    return this.client;
  }

  /** `unix:` address of the engine; null while it is down. */
  address(): string | null {
    return this.client === null ? null : this.socketAddress;
  }

  up(client: EngineClient, address: string, deviceKind = 'cpu', unconfined = ''): void {
    const wasHandedOver = this.handedOver;
    this.client = client;
    this.socketAddress = address;
    this.device = deviceKind;
    this.lacksConfinement = unconfined;
    this.incarnation += 1;
    this.reason = null;
    this.handedOver = false;
    this.changed();
    this.wakeAll(client);
    if (wasHandedOver) this.tell(null);
  }

  down(reason: string): void {
    this.client = null;
    this.reason = reason;
    this.changed();
  }

  /** Engines keep ending: until the next `up` the work is left to other workers. */
  handOver(reason: string): void {
    this.handedOver = true;
    this.down(reason);
    this.wakeAll(null);
    this.tell(reason);
  }

  /** null while this worker takes work. */
  whyHandedOver(): string | null {
    return this.handedOver ? this.reason : null;
  }

  /** Called with the reason when the work is handed over, and with null when it is taken again. */
  onHandOver(listener: (reason: string | null) => void): void {
    this.listeners.add(listener);
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher();
  }

  private tell(reason: string | null): void {
    for (const listener of this.listeners) listener(reason);
  }

  /** Nobody needs to wait any more. */
  close(): void {
    this.closed = true;
    this.down('the worker is stopping');
    this.wakeAll(null);
  }

  private wakeAll(client: EngineClient | null): void {
    for (const waiter of this.waiters) waiter.wake(client);
    this.waiters.clear();
  }

  /** The client as soon as the engine is up; null when it isn't until then. */
  waitUntilUp(until: UnixMs): Promise<EngineClient | null> {
    if (this.client !== null) return Promise.resolve(this.client);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        wake: (client) => {
          clearTimeout(timer);
          resolve(client);
        },
      };
      const timer = setTimeout(
        () => {
          this.waiters.delete(waiter);
          resolve(null);
        },
        Math.min(LONGEST_TIMER_MS, Math.max(0, until - Date.now())),
      );
      this.waiters.add(waiter);
    });
  }
}
