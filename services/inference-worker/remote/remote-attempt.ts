import { nextLookMs, type Attempt, type AttemptEnd } from '#policy/balancing/remote';
import type { RemoteLoad } from '#policy/balancing/remote-load';
import type { Router } from '#policy/balancing/router';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import type { PlacedAnswer, PlacedWork } from '../placement/placement';
import { failureKind } from './attempt-end';
import { asRefusedThere } from './refused-there';
import type { RemoteAnswer, RemoteEngine } from './remote-engine';
import type { AttemptEndName, RemoteEvents } from './remote-events';

export interface AttemptParts {
  readonly router: Router;
  readonly events: Pick<RemoteEvents, 'RemoteAnswered'>;
  /** Until it would be done here; null while no engine of ours is up. */
  readonly localMs: () => number | null;
}

export type AttemptResult =
  { readonly answer: PlacedAnswer } | { readonly error: RoundhouseError; readonly isOverdue: boolean };

class Overdue extends RoundhouseError {
  constructor(name: string) {
    super('ENGINE_LOST', `${name} owes its answer for too long`);
  }
}

function asFault(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return asRefusedThere(error);
  return new RoundhouseError('INTERNAL', String(error), [], { cause: error });
}

/** What can't be the answer to the work, whatever it is. */
function whyWrong({ bytesOut }: PlacedWork, { response }: RemoteAnswer): string | null {
  const plans = response.outputs.find(({ name }) => name === 'plans');
  if (plans === undefined || plans.data.byteLength === bytesOut) return null;
  return `${plans.data.byteLength} bytes of plans, not ${bytesOut}`;
}

/** One shard at one remote; its end is told to the router, once. */
export class RemoteAttempt {
  private readonly abort = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: AttemptParts,
    private readonly attempt: Attempt,
    private readonly work: PlacedWork,
  ) {}

  /** Never rejects. undefined: a remote that is gone meanwhile. */
  async run(engine: RemoteEngine | undefined, until: UnixMs, signal?: AbortSignal): Promise<AttemptResult> {
    const { attempt, work, abort } = this;
    const { name } = attempt.remote;
    if (engine === undefined) return this.failed(gone(name), null);
    const giveUp = (): void => abort.abort(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    this.watch();
    try {
      const answer = await engine.infer(work, until, attempt.sentMs, abort.signal);
      const wrong = whyWrong(work, answer);
      if (wrong !== null)
        return this.failed(new RoundhouseError('MODEL_FAILED', `${name}: ${wrong}`), engine);
      return this.succeeded(answer);
    } catch (error) {
      return this.failed(asFault(error), engine, signal);
    } finally {
      clearTimeout(this.timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private watch(): void {
    const { attempt } = this;
    this.timer = setTimeout(
      () => {
        if (this.mayGiveUp()) this.abort.abort(new Overdue(attempt.remote.name));
        else this.watch();
      },
      nextLookMs(attempt, performance.now()),
    );
  }

  private mayGiveUp(): boolean {
    const { router, localMs } = this.parts;
    const { attempt, work } = this;
    const nowMs = performance.now();
    const isOverdue = nowMs - attempt.sentMs >= attempt.overdueMs;
    if (!isOverdue && !router.isLost(attempt)) return false;
    return router.mayGiveUp(attempt, localMs(), nowMs, work.failedOn);
  }

  private succeeded({ response, deviceKind, load, ranMs, thereMs }: RemoteAnswer): AttemptResult {
    this.end({ kind: 'good', ranMs, thereMs, load }, 'good');
    return { answer: { response, deviceKind, engine: this.attempt.remote.name } };
  }

  private failed(error: RoundhouseError, engine: RemoteEngine | null, signal?: AbortSignal): AttemptResult {
    const { attempt, work } = this;
    const isOverdue = this.abort.signal.reason instanceof Overdue;
    const load = engine?.loadOfRefusal(error, attempt.sentMs) ?? null;
    if (signal?.aborted === true) this.end({ kind: 'withdrawn' }, 'withdrawn', error.message);
    else if (isOverdue) this.end({ kind: 'overdue', load }, 'overdue', error.message);
    else this.judge(error, load);
    if (!isOverdue && isFailure(error)) work.failedOn.add(attempt.remote.name);
    return { error, isOverdue };
  }

  private judge(error: RoundhouseError, load: RemoteLoad | null): void {
    const kind = failureKind(error);
    const isOwed = performance.now() - this.attempt.sentMs > this.attempt.overdueMs;
    if (kind === 'busy' || kind === 'without_model') this.end({ kind, load }, kind, error.message);
    else if (kind === 'down' || kind === 'lost') this.end({ kind: 'failed', load }, kind, error.message);
    else if (kind === 'late' && isOwed) this.end({ kind: 'overdue', load }, 'overdue', error.message);
    else this.end({ kind: 'withdrawn' }, kind, error.message);
  }

  private end(end: AttemptEnd, name: AttemptEndName, detail = ''): void {
    const { router, events } = this.parts;
    const nowMs = performance.now();
    router.ended(this.attempt, end, nowMs);
    const elapsedMs = nowMs - this.attempt.sentMs;
    events.RemoteAnswered({ name: this.attempt.remote.name, end: name, elapsedMs, detail });
  }
}

/** One that was only full or without the model may have it again. */
function isFailure(error: RoundhouseError): boolean {
  const kind = failureKind(error);
  return kind !== 'busy' && kind !== 'without_model';
}

function gone(name: string): RoundhouseError {
  return new RoundhouseError('ENGINE_LOST', `no engine serves now: ${name} is gone`);
}
