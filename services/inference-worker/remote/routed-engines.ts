import { setTimeout as sleep } from 'node:timers/promises';
import type { Route, Router } from '#policy/balancing/router';
import type { RoutedWork } from '#policy/balancing/remote';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import {
  HandedOver,
  LateHere,
  NoEngineInTime,
  type ExpectedWork,
  type LoadReport,
  type LocalEngines,
  type PlacedAnswer,
  type PlacedWork,
} from '../placement/placement';
import { failureKind } from './attempt-end';
import { RemoteAttempt, type AttemptParts } from './remote-attempt';
import type { RemoteSet } from './remote-set';

/** Whether engines keep ending on every device, and when that changes. */
export interface HandOver {
  whyHandedOver(): string | null;
  onHandOver(listener: (reason: string | null) => void): void;
}

export interface RoutedEnginesParts extends Omit<AttemptParts, 'router' | 'localMs'> {
  readonly local: LocalEngines;
  readonly handOver: HandOver;
  readonly router: Router;
  readonly remotes: RemoteSet;
}

const lookAgainMs = 10;

/** Of one shard, as it goes from engine to engine. */
interface Journey {
  readonly work: PlacedWork;
  readonly until: UnixMs;
  readonly signal: AbortSignal | undefined;
  /** Our own engines have said that they can't have it now. */
  notHere: RoundhouseError | null;
  /** Of remotes that failed with it for whatever reason: theirs, if it is solved elsewhere. */
  readonly doubtful: Set<string>;
  /** Remotes from which it was taken back, overdue: they get it again only if nobody else may. */
  readonly slow: Set<string>;
  /** What the first of those said. */
  doubt: RoundhouseError | null;
  /** Only our own engines may be asked again. */
  isOnlyHere: boolean;
}

/** This worker's engines and those of others: each shard goes where it is done first. */
export class RoutedEngines implements LocalEngines, HandOver {
  private readonly listeners = new Set<(reason: string | null) => void>();
  private isHandedOver: boolean;

  constructor(private readonly parts: RoutedEnginesParts) {
    this.isHandedOver = this.whyHandedOver() !== null;
    parts.handOver.onHandOver(() => this.tellHandOver());
    parts.remotes.onChange(() => this.tellHandOver());
  }

  async infer(work: PlacedWork, until: UnixMs, signal?: AbortSignal): Promise<PlacedAnswer> {
    const journey: Journey = {
      work,
      until,
      signal,
      notHere: null,
      doubtful: new Set(),
      slow: new Set(),
      doubt: null,
      isOnlyHere: false,
    };
    const answer = await this.travel(journey);
    for (const name of journey.doubtful) this.parts.router.blame(name, performance.now());
    return answer;
  }

  expectedFinishMs(work: ExpectedWork): number | null {
    return this.parts.local.expectedFinishMs(work);
  }

  whyDown(): string | null {
    return this.parts.local.whyDown();
  }

  /** Not while remotes take work. */
  whyHandedOver(): string | null {
    return this.parts.remotes.usableCount > 0 ? null : this.parts.handOver.whyHandedOver();
  }

  /** As the worker's own engines tell it, but for the time in which remotes take work. */
  onHandOver(listener: (reason: string | null) => void): void {
    this.listeners.add(listener);
  }

  load(): LoadReport {
    return this.parts.local.load();
  }

  private tellHandOver(): void {
    const reason = this.whyHandedOver();
    if ((reason !== null) === this.isHandedOver) return;
    this.isHandedOver = reason !== null;
    for (const listener of this.listeners) listener(reason);
  }

  private async travel(journey: Journey): Promise<PlacedAnswer> {
    for (;;) {
      const { until, signal } = journey;
      const route = this.route(journey);
      if (route.kind === 'local') {
        const answer = await this.here(journey);
        if (answer !== null) return answer;
      } else if (route.kind === 'remote') {
        const answer = await this.there(route, journey);
        if (answer !== null) return answer;
      } else await this.wait(journey);
      signal?.throwIfAborted();
      if (Date.now() >= until) throw this.tooLate(journey);
    }
  }

  private localMs({ work, notHere }: Journey): number | null {
    const { local } = this.parts;
    if (local.whyDown() !== null) return null;
    return notHere === null ? local.expectedFinishMs(work) : Infinity;
  }

  private route(journey: Journey): Route {
    const localMs = this.localMs(journey);
    if (journey.isOnlyHere) return localMs === null ? { kind: 'none' } : { kind: 'local' };
    const { work, until, slow } = journey;
    const route = (not: ReadonlySet<string>): Route =>
      this.parts.router.route(routedWork(work, until), localMs, performance.now(), not);
    if (slow.size === 0) return route(work.failedOn);
    const first = route(new Set([...work.failedOn, ...slow]));
    return first.kind === 'none' ? route(work.failedOn) : first;
  }

  /** null: not here, perhaps elsewhere. */
  private async here(journey: Journey): Promise<PlacedAnswer | null> {
    if (journey.notHere !== null) throw journey.notHere;
    try {
      return await this.parts.local.infer(journey.work, journey.until, journey.signal);
    } catch (error) {
      const isElsewhere = error instanceof LateHere || isBusy(error) || error instanceof HandedOver;
      if (!isElsewhere || journey.isOnlyHere) throw error;
      journey.notHere = error as RoundhouseError;
      return null;
    }
  }

  private async there(
    { attempt }: Route & { kind: 'remote' },
    journey: Journey,
  ): Promise<PlacedAnswer | null> {
    const { work, until, signal } = journey;
    const { router, remotes, events } = this.parts;
    const parts = { router, events, localMs: () => this.localMs(journey) };
    const engine = remotes.get(attempt.remote.name);
    const end = await new RemoteAttempt(parts, attempt, work).run(engine, until, signal);
    remotes.look();
    if ('answer' in end) return end.answer;
    if (end.isOverdue) {
      journey.slow.add(attempt.remote.name);
      return null;
    }
    const kind = failureKind(end.error);
    if (kind === 'lost' || Date.now() >= until) throw end.error;
    if (kind === 'doubtful' || kind === 'late') {
      journey.doubtful.add(attempt.remote.name);
      journey.doubt ??= end.error;
    }
    if (!router.mayRetry(performance.now())) await this.withoutRetry(journey);
    return null;
  }

  /** No more remotes for it now: our own engines, or a pause where none is up. */
  private async withoutRetry(journey: Journey): Promise<void> {
    if (this.parts.local.whyDown() === null) journey.isOnlyHere = true;
    else await this.wait(journey);
  }

  /** No engine is up and no remote may have it: until one may. */
  private async wait(journey: Journey): Promise<void> {
    if (this.whyHandedOver() !== null) throw new HandedOver();
    const leftMs = journey.until - Date.now();
    await sleep(Math.max(1, Math.min(lookAgainMs, leftMs)), undefined, {
      ...(journey.signal === undefined ? {} : { signal: journey.signal }),
    }).catch(() => undefined);
  }

  private tooLate({ doubt }: Journey): RoundhouseError {
    return doubt ?? new NoEngineInTime(this.parts.local.whyDown() ?? 'no engine had time for it');
  }
}

function routedWork({ request, size, bytesIn, bytesOut }: PlacedWork, until: UnixMs): RoutedWork {
  const deadlineMs = performance.now() + (until - Date.now());
  return { model: request.model, size, bytes: bytesIn + bytesOut, deadlineMs };
}

function isBusy(error: unknown): boolean {
  return error instanceof RoundhouseError && error.code === 'ENGINE_BUSY';
}
