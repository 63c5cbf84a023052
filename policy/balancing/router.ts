import { FleetCosts } from './fleet-costs';
import { pickTwo } from './pick-two';
import { Remote, sumMs, type Attempt, type AttemptEnd, type RoutedWork } from './remote';
import { RetryBudget } from './retry-budget';
import { defaultRouterSettings, type RouterSettings } from './settings';

export type Route =
  | { readonly kind: 'local' }
  | { readonly kind: 'remote'; readonly attempt: Attempt }
  /** No engine of ours is up and no remote may have it now. */
  | { readonly kind: 'none' };

const local: Route = { kind: 'local' };
const none: Route = { kind: 'none' };
const noNames: ReadonlySet<string> = new Set();
/** Of the time that doing it again would take: what is kept for that when an attempt may be given up. */
const redoFactor = 1.25;

/**
 * Where a shard goes: here, or to the better one of two remotes, whichever is done first as far as can be told.
 * Pure: it is told what happens and when; `random` is in [0, 1).
 */
export class Router {
  private readonly remotes: Remote[] = [];
  private readonly byName = new Map<string, Remote>();
  private readonly out = new Set<Remote>();
  /** Those that owe us an answer. */
  private readonly owing = new Set<Remote>();
  private readonly costs: FleetCosts;
  private readonly retries: RetryBudget;

  constructor(
    private readonly random: () => number,
    private readonly settings: RouterSettings = defaultRouterSettings,
  ) {
    this.costs = new FleetCosts(settings.priorMsPerUnit);
    this.retries = new RetryBudget(settings.retryShare, settings.retryReserve, settings.retriesPerSecond);
  }

  get size(): number {
    return this.remotes.length;
  }

  remote(name: string): Remote | undefined {
    return this.byName.get(name);
  }

  /** It gets work once a probe was good. */
  add(name: string): void {
    if (this.byName.has(name)) return;
    const remote = new Remote(name, this.costs, this.settings);
    this.byName.set(name, remote);
    this.remotes.push(remote);
    this.out.add(remote);
  }

  /** It gets nothing more; what it has may still end. */
  remove(name: string): void {
    const remote = this.byName.get(name);
    if (remote === undefined) return;
    this.byName.delete(name);
    this.out.delete(remote);
    const last = this.remotes.pop()!;
    if (last !== remote) this.remotes[this.remotes.indexOf(remote)] = last;
  }

  /**
   * `localMs`: from now until it would be done here, null while no engine of ours is up. `failedOn`: names of those
   * that had it already. A route to a remote is counted as sent: its attempt must be ended.
   */
  route(
    work: RoutedWork,
    localMs: number | null,
    nowMs: number,
    failedOn: ReadonlySet<string> = noNames,
  ): Route {
    if (localMs !== null && localMs <= this.settings.localAtOnceMs) return local;
    const best = this.bestRemote(work, nowMs, failedOn);
    if (best === null) return localMs === null ? none : local;
    const finishMs = best.finishMs(work, nowMs);
    if (localMs !== null && !this.isWorthIt(finishMs, localMs, work.deadlineMs - nowMs)) return local;
    return { kind: 'remote', attempt: this.begin(best, work, nowMs, localMs) };
  }

  ended(attempt: Attempt, end: AttemptEnd, nowMs: number): void {
    const { remote } = attempt;
    remote.ended(attempt, end, nowMs);
    if (remote.load.inFlight === 0) this.owing.delete(remote);
    if (remote.health.isOut && this.byName.get(remote.name) === remote) this.out.add(remote);
  }

  /**
   * Asked when an attempt is overdue: whether it is to be taken back, for it would be in time elsewhere. From a remote
   * that is out by now it costs nothing of the budget.
   */
  mayGiveUp(
    attempt: Attempt,
    localMs: number | null,
    nowMs: number,
    failedOn: ReadonlySet<string> = noNames,
  ): boolean {
    const { work, remote } = attempt;
    const leftMs = work.deadlineMs - nowMs;
    const fits = (ms: number | undefined | null) => ms !== null && ms !== undefined && ms < leftMs;
    const another = (): number | undefined =>
      this.bestRemote(work, nowMs, new Set([...failedOn, remote.name]))?.finishMs(work, nowMs);
    return (fits(localMs) || fits(another())) && (this.isLost(attempt) || this.retries.take(nowMs));
  }

  /** Its remote is out, or gone: there is no use in waiting longer. */
  isLost({ remote }: Attempt): boolean {
    return remote.health.isEjected || this.byName.get(remote.name) !== remote;
  }

  /** What failed there, and was withdrawn, was solved elsewhere: so it was the remote's fault. */
  blame(name: string, nowMs: number): void {
    const remote = this.byName.get(name);
    if (remote === undefined) return;
    remote.health.failed(nowMs);
    if (remote.health.isOut) this.out.add(remote);
  }

  /** Whether what a remote failed with may go elsewhere. */
  mayRetry(nowMs: number): boolean {
    return this.retries.take(nowMs);
  }

  /** Remotes to ask now whether they live; each must be answered by `probed`. */
  probesDue(nowMs: number): string[] {
    const due: string[] = [];
    const look = ({ health, name }: Remote, silentMs: number): void => {
      if (!health.probeIsDue(nowMs, silentMs)) return;
      health.probeBegins();
      due.push(name);
    };
    for (const remote of this.out) look(remote, 0);
    for (const remote of this.owing)
      if (!remote.health.isOut && this.byName.get(remote.name) === remote)
        look(remote, remote.silentMs(nowMs));
    return due;
  }

  probed(name: string, isGood: boolean, nowMs: number): void {
    const remote = this.byName.get(name);
    if (remote === undefined) return;
    remote.health.probed(isGood, nowMs);
    if (isGood) remote.gaveSign(nowMs);
    if (remote.health.isOut) this.out.add(remote);
    else this.out.delete(remote);
  }

  private bestRemote(work: RoutedWork, nowMs: number, failedOn: ReadonlySet<string>): Remote | null {
    const suits = (remote: Remote) => !failedOn.has(remote.name) && remote.mayTake(work.model, nowMs);
    const [one, other] = pickTwo(this.remotes, suits, this.random);
    if (one === undefined) return null;
    if (other === undefined) return one;
    return other.finishMs(work, nowMs) < one.finishMs(work, nowMs) ? other : one;
  }

  private isWorthIt(remoteMs: number, localMs: number, leftMs: number): boolean {
    const { advantageShare, advantageMs } = this.settings;
    if (remoteMs > leftMs) return false;
    if (localMs > leftMs) return true;
    return remoteMs * (1 + advantageShare) + advantageMs < localMs;
  }

  private begin(remote: Remote, work: RoutedWork, nowMs: number, localMs: number | null): Attempt {
    const expected = remote.expected(work, nowMs);
    const ms = sumMs(expected);
    const redoMs = redoFactor * (localMs === null ? ms : Math.min(localMs, ms));
    const overdueMs = this.overdueMs(ms, work.deadlineMs - nowMs - redoMs);
    const attempt = { remote, work, sentMs: nowMs, overdueMs, ...expected };
    remote.load.sent(attempt);
    this.owing.add(remote);
    this.retries.earn();
    return attempt;
  }

  private overdueMs(expectedMs: number, leftMs: number): number {
    const { overdueFactor, overdueLeastMs, overdueMostMs } = this.settings;
    const most = Math.max(1.5 * expectedMs, overdueMostMs);
    const usual = Math.min(Math.max(overdueLeastMs, overdueFactor * expectedMs), most);
    return Math.max(redoFactor * expectedMs, Math.min(usual, leftMs));
  }
}
