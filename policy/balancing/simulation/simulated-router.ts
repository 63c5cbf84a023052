import type { AttemptEnd, RoutedWork } from '../remote';

/** What a routing policy decided: a remote's name, or null for the worker's own engine. */
export interface SimulatedRoute {
  readonly remote: string | null;
  /** How long after its sending it is overdue; Infinity: never, and the policy isn't asked whether to give it up. */
  readonly overdueMs: number;
  readonly attempt: unknown;
}

/** A worker's routing policy, as the simulator drives it. */
export interface SimulatedRouter {
  route(
    work: RoutedWork,
    localMs: number | null,
    nowMs: number,
    failedOn: ReadonlySet<string>,
  ): SimulatedRoute | null;
  /** `localMs`, `nowMs`: as for `route`. */
  mayGiveUp(attempt: unknown, localMs: number | null, nowMs: number, failedOn: ReadonlySet<string>): boolean;
  mayRetry(attempts: number, nowMs: number): boolean;
  ended(attempt: unknown, end: AttemptEnd, nowMs: number): void;
  probesDue(nowMs: number): readonly string[];
  probed(name: string, isGood: boolean, nowMs: number): void;
}

export type MakeRouter = (remotes: readonly string[], random: () => number) => SimulatedRouter;
