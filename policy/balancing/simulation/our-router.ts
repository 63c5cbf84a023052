import type { Attempt, AttemptEnd, RoutedWork } from '../remote';
import { Router } from '../router';
import type { SimulatedRoute, SimulatedRouter } from './simulated-router';

/** The router that the worker uses. */
export class OurRouter implements SimulatedRouter {
  readonly router: Router;
  /** When a remote got nothing more, by what became of attempts or of a probe; each time. */
  readonly outAtMs = new Map<string, number[]>();

  constructor(remotes: readonly string[], random: () => number) {
    this.router = new Router(random);
    for (const name of remotes) this.router.add(name);
  }

  route(
    work: RoutedWork,
    localMs: number | null,
    nowMs: number,
    failedOn: ReadonlySet<string>,
  ): SimulatedRoute | null {
    const route = this.router.route(work, localMs, nowMs, failedOn);
    if (route.kind === 'none') return null;
    if (route.kind === 'local') return { remote: null, overdueMs: Infinity, attempt: null };
    const { attempt } = route;
    return { remote: attempt.remote.name, overdueMs: attempt.overdueMs, attempt };
  }

  mayGiveUp(of: unknown, localMs: number | null, nowMs: number, failedOn: ReadonlySet<string>): boolean {
    const attempt = of as Attempt;
    const isOverdue = nowMs - attempt.sentMs >= attempt.overdueMs;
    if (!isOverdue && !this.router.isLost(attempt)) return false;
    return this.router.mayGiveUp(attempt, localMs, nowMs, failedOn);
  }

  mayRetry(_attempts: number, nowMs: number): boolean {
    return this.router.mayRetry(nowMs);
  }

  ended(attempt: unknown, end: AttemptEnd, nowMs: number): void {
    if (attempt === null) return;
    const { remote } = attempt as Attempt;
    this.router.ended(attempt as Attempt, end, nowMs);
    if (remote.health.isOut) this.isOut(remote.name, nowMs);
  }

  probesDue(nowMs: number): readonly string[] {
    return this.router.probesDue(nowMs);
  }

  probed(name: string, isGood: boolean, nowMs: number): void {
    this.router.probed(name, isGood, nowMs);
    if (!isGood) this.isOut(name, nowMs);
  }

  private isOut(name: string, nowMs: number): void {
    const times = this.outAtMs.get(name);
    if (times === undefined) this.outAtMs.set(name, [nowMs]);
    else times.push(nowMs);
  }
}
