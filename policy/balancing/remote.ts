import { RobustRate } from '../scheduling/robust-rate';
import { BoundedMap } from './bounded-map';
import type { FleetCosts } from './fleet-costs';
import { RemoteHealth } from './remote-health';
import { LoadView, type RemoteLoad } from './remote-load';
import type { RouterSettings } from './settings';

export interface RoutedWork {
  readonly model: string;
  /** Above 0. */
  readonly size: number;
  /** There and back. */
  readonly bytes: number;
  readonly deadlineMs: number;
}

/** Something that a remote has; made by the router. */
export interface Attempt {
  readonly remote: Remote;
  readonly work: RoutedWork;
  readonly sentMs: number;
  /** As they were expected then. */
  readonly transferMs: number;
  readonly waitMs: number;
  readonly serviceMs: number;
  readonly overdueMs: number;
}

export type Expected = Pick<Attempt, 'transferMs' | 'waitMs' | 'serviceMs'>;

/** From now until it is done. */
export function sumMs({ transferMs, waitMs, serviceMs }: Expected): number {
  return transferMs + waitMs + serviceMs;
}

/** What became of an attempt; `load` where the remote said how busy it is. */
export type AttemptEnd =
  /** `ranMs`: in the backend alone; `thereMs`: from its coming to its answer there. null where it isn't told. */
  | {
      readonly kind: 'good';
      readonly ranMs: number | null;
      readonly thereMs: number | null;
      readonly load: RemoteLoad | null;
    }
  | { readonly kind: 'failed' | 'overdue' | 'without_model' | 'busy'; readonly load: RemoteLoad | null }
  /** The caller has given it up, or it turned out to be the work's fault: nothing is learnt of the remote. */
  | { readonly kind: 'withdrawn' };

/** When to look at an attempt next, from now: as soon as it is overdue, and now and then whether its remote is out. */
export function nextLookMs(
  { sentMs, overdueMs }: Pick<Attempt, 'sentMs' | 'overdueMs'>,
  nowMs: number,
): number {
  const leftMs = sentMs + overdueMs - nowMs;
  return leftMs > 0 ? Math.min(lookEveryMs, leftMs) : lookEveryMs;
}

/** So many bytes cost as much as a message without any. */
const emptyMessageBytes = 65_536;
const leastServiceShare = 0.25;
const slowest = 1_000;
const lookEveryMs = 100;

/** A remote engine as the router knows it. Times are of the router's clock. */
export class Remote {
  readonly health: RemoteHealth;
  readonly load: LoadView<Attempt>;
  private readonly slowness = new BoundedMap<RobustRate>();
  private readonly transfer = new RobustRate();
  private readonly lacks = new BoundedMap<number>();
  private busyUntilMs = -Infinity;
  private signMs = -Infinity;

  constructor(
    readonly name: string,
    private readonly costs: FleetCosts,
    private readonly settings: RouterSettings,
  ) {
    this.health = new RemoteHealth(settings);
    this.load = new LoadView<Attempt>(settings);
  }

  mayTake(model: string, nowMs: number): boolean {
    const { health, load } = this;
    if (health.isOut || nowMs < this.busyUntilMs || load.inFlight >= health.window) return false;
    const oldest = load.oldest();
    if (oldest !== undefined && nowMs - oldest.sentMs > oldest.overdueMs) return false;
    return nowMs >= (this.lacks.get(model) ?? -Infinity);
  }

  /** How long it has owed an answer without a sign of life; 0 while it owes none. */
  silentMs(nowMs: number): number {
    const oldest = this.load.oldest();
    return oldest === undefined ? 0 : Math.max(0, nowMs - Math.max(this.signMs, oldest.sentMs));
  }

  /** It lives. */
  gaveSign(nowMs: number): void {
    this.signMs = Math.max(this.signMs, nowMs);
  }

  /** Milliseconds that a unit of work takes here, over that of the fleet. */
  slownessOf(model: string): number {
    return this.slowness.get(model)?.value ?? 1;
  }

  expected({ model, size, bytes }: RoutedWork, nowMs: number): Expected {
    return {
      transferMs: this.transferMs(bytes),
      waitMs: this.load.waitMs(nowMs),
      serviceMs: this.costs.serviceMs(model, size) * this.slownessOf(model),
    };
  }

  /** With what its failures cost. */
  finishMs(work: RoutedWork, nowMs: number): number {
    const { failureShare: share } = this.health;
    return (sumMs(this.expected(work, nowMs)) + share * this.settings.failurePenaltyMs) / (1 - share);
  }

  ended(attempt: Attempt, end: AttemptEnd, nowMs: number): void {
    this.load.left(attempt);
    if (end.kind === 'withdrawn') return;
    if (end.load !== null) this.load.reported(end.load);
    if (end.kind !== 'overdue') this.gaveSign(nowMs);
    const elapsedMs = nowMs - attempt.sentMs;
    if (end.kind === 'good') {
      this.health.succeeded();
      this.learn(attempt, elapsedMs, end);
    } else if (end.kind === 'busy') {
      this.busyUntilMs = nowMs + this.settings.busyMs;
      this.health.full(this.load.inFlight);
    } else if (end.kind === 'without_model') {
      this.lacks.set(attempt.work.model, nowMs + this.settings.withoutModelMs);
    } else if (end.kind === 'overdue') {
      const isSilent = nowMs - Math.max(this.signMs, attempt.sentMs) > this.settings.overdueLeastMs / 2;
      this.health.slow(nowMs, this.load.inFlight + 1, isSilent);
      this.learnSlowness(attempt, Math.max(1, elapsedMs - attempt.transferMs - attempt.waitMs));
    } else this.health.failed(nowMs);
  }

  private learn(
    attempt: Attempt,
    elapsedMs: number,
    { ranMs, thereMs }: AttemptEnd & { kind: 'good' },
  ): void {
    if (thereMs !== null) this.learnTransfer(attempt.work.bytes, Math.max(0, elapsedMs - thereMs));
    const there = Math.max(
      0,
      thereMs === null ? elapsedMs - attempt.transferMs : Math.min(thereMs, elapsedMs),
    );
    if (ranMs !== null) return this.learnService(attempt, Math.min(ranMs, elapsedMs));
    this.learnService(attempt, Math.max(there - attempt.waitMs, leastServiceShare * there));
  }

  private learnTransfer(bytes: number, ms: number): void {
    const rate = ms / (bytes + emptyMessageBytes);
    this.transfer.observe(rate, this.transferMs(bytes) / (bytes + emptyMessageBytes));
  }

  private transferMs(bytes: number): number {
    const rate =
      this.transfer.count > 0 ? this.transfer.value : this.settings.priorTransferMs / emptyMessageBytes;
    return rate * (bytes + emptyMessageBytes);
  }

  /** The first answer of a remote tells its own speed alone, unless nothing was known of the fleet. */
  private learnService(attempt: Attempt, ms: number): void {
    const { model, size } = attempt.work;
    const took = Math.max(1e-3, ms);
    if (!this.costs.isKnown(model, size) || this.slowness.has(model))
      this.costs.observe(model, size, took / this.slownessOf(model));
    this.learnSlowness(attempt, took);
  }

  private learnSlowness({ work: { model, size } }: Attempt, ms: number): void {
    const slowness = this.slowness.get(model) ?? new RobustRate();
    const against = this.costs.serviceMs(model, size);
    slowness.observe(Math.min(slowest, ms / against), this.slownessOf(model));
    this.slowness.set(model, slowness);
  }
}
