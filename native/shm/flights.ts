import type { ShmCall, ShmRequest, ShmResult } from './session-types';

export interface Flight {
  readonly request: ShmRequest;
  readonly call: ShmCall;
  resolve(result: ShmResult): void;
  reject(error: Error): void;
  onAbort?: () => void;
  /** The caller has its answer; the engine still has the slots. */
  answered: boolean;
}

/** Requests by id: the caller of each is answered once, and it stays here until the engine has let go of it. */
export class Flights {
  private readonly byId = new Map<number, Flight>();

  get size(): number {
    return this.byId.size;
  }

  add(id: number, flight: Flight): void {
    this.byId.set(id, flight);
  }

  /** undefined where its caller has an answer already. */
  waiting(id: number): Flight | undefined {
    const flight = this.byId.get(id);
    return flight?.answered === false ? flight : undefined;
  }

  /** False where its caller has an answer already. */
  answer(id: number, settle: (flight: Flight) => void): boolean {
    const flight = this.waiting(id);
    if (flight === undefined) return false;
    flight.answered = true;
    if (flight.onAbort !== undefined) flight.call.signal?.removeEventListener('abort', flight.onAbort);
    settle(flight);
    return true;
  }

  /** The engine has nothing of it any more. */
  forget(id: number): void {
    const flight = this.byId.get(id);
    if (!this.byId.delete(id)) return;
    flight?.call.onLetGo?.();
  }

  /** Calls `abandon` for those that are late; the deadline that comes next. */
  expire(now: number, abandon: (id: number) => void): number {
    let next = Infinity;
    for (const [id, { call, answered }] of this.byId) {
      const { deadlineMs = Infinity } = call;
      if (answered || deadlineMs === Infinity) continue;
      if (deadlineMs <= now) abandon(id);
      else next = Math.min(next, deadlineMs);
    }
    return next;
  }

  failAll(error: () => Error): void {
    for (const id of [...this.byId.keys()]) {
      this.answer(id, ({ reject }) => reject(error()));
      this.forget(id);
    }
  }
}
