import { RoundhouseError } from '#schemas/errors';

export interface CallBounds {
  readonly calls: number;
  /** Of the requests of all calls together. */
  readonly bytes: number;
}

/** What callers may have under way at once, so that many large requests don't take the worker's memory. */
export class CallsUnderWay {
  private calls = 0;
  private bytes = 0;

  constructor(private readonly bounds: CallBounds) {}

  /**
   * Throws ENGINE_BUSY, with the time that remains to the call's deadline (Unix milliseconds). What comes back ends the
   * call's part, once however often it is called.
   */
  enter(bytes: number, deadlineMs = Infinity): () => void {
    const { calls: mostCalls, bytes: mostBytes } = this.bounds;
    if (this.calls >= mostCalls) throw busy(`${mostCalls} calls are under way, the limit`, deadlineMs);
    if (this.bytes + bytes > mostBytes) {
      throw busy(`${mostBytes} bytes of requests are under way, the limit`, deadlineMs);
    }
    this.calls += 1;
    this.bytes += bytes;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.calls -= 1;
      this.bytes -= bytes;
    };
  }
}

function busy(message: string, deadlineMs: number): RoundhouseError {
  const remainingMs = deadlineMs === Infinity ? undefined : Math.max(0, deadlineMs - Date.now());
  return new RoundhouseError('ENGINE_BUSY', message, [], { remainingMs });
}
