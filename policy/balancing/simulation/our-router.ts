import type { Attempt, AttemptEnd, RoutedWork } from '../remote';
import { Router } from '../router';
import type { SimulatedRoute, SimulatedRouter } from './simulated-router';

/** The router that the worker uses. */
export class OurRouter implements SimulatedRouter {
  readonly router: Router;
  /** When a remote was first put out by what became of attempts. */
  readonly outAtMs = new Map<string, number>();

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

  mayGiveUp(attempt: unknown, localMs: number | null, nowMs: number, failedOn: ReadonlySet<string>): boolean {
    return this.router.mayGiveUp(attempt as Attempt, localMs, nowMs, failedOn);
  }

  mayRetry(_attempts: number, nowMs: number): boolean {
    return this.router.mayRetry(nowMs);
  }

  ended(attempt: unknown, end: AttemptEnd, nowMs: number): void {
    if (attempt === null) return;
    const { remote } = attempt as Attempt;
    this.router.ended(attempt as Attempt, end, nowMs);
    if (remote.health.timesOut > 0 && !this.outAtMs.has(remote.name)) this.outAtMs.set(remote.name, nowMs);
  }

  probesDue(nowMs: number): readonly string[] {
    return this.router.probesDue(nowMs);
  }

  probed(name: string, isGood: boolean, nowMs: number): void {
    this.router.probed(name, isGood, nowMs);
    if (!isGood && !this.outAtMs.has(name)) this.outAtMs.set(name, nowMs);
  }
}
