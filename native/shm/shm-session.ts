import { DeadlineClock } from '#lib/deadline-clock';
import { sendPaths } from '#lib/engine-client/data-plane';
import { OutputSizes } from '../output-sizes';
import { answerKinds, readFailed, readResult, viewOf, type AnswerRow, type ResultAnswer } from './answers';
import { loadBindings, submitted, type SessionHandle, type ShmBindings } from './bindings';
import { Flights, type Flight } from './flights';
import { copyBelowBytes, sessionSettings, slabBytes } from './session-settings';
import type { ShmCall, ShmRequest, ShmResult, ShmSessionOptions, SlotLease } from './session-types';
import { asShmError, ShmError } from './shm-error';
import { WaitingLine } from './waiting-line';

/**
 * A session with an engine: one sealed segment of shared memory, whose slots belong to us, and two rings for
 * descriptors. When the engine ends, so does the session (SESSION_ENDED); the memory goes with the last view.
 */
export class ShmSession implements AsyncDisposable {
  private readonly bindings: ShmBindings = loadBindings();
  private readonly flights = new Flights();
  private readonly line = new WaitingLine();
  private readonly sizes = new OutputSizes();
  private handle!: SessionHandle;
  private lastId = 0;
  private opening: { resolve(): void; reject(error: Error): void } | null = null;
  private closed = false;
  private isTaken = false;
  private slab = Buffer.allocUnsafeSlow(slabBytes);
  private readonly inlineIfEmpty: boolean;
  private readonly clock = new DeadlineClock((now) => this.expire(now));

  private constructor(private readonly options: ShmSessionOptions) {
    this.inlineIfEmpty = options.whenEmpty === 'inline';
  }

  /** Rejects with ShmError. */
  static async open(options: ShmSessionOptions): Promise<ShmSession> {
    const session = new ShmSession(options);
    await session.connect();
    return session;
  }

  get inFlight(): number {
    return this.flights.size;
  }
  get isOpen(): boolean {
    return this.isTaken && !this.closed;
  }
  get heldSlots(): number {
    return this.bindings.heldSlots(this.handle);
  }

  /** Of those slots, whole. */
  get heldBytes(): number {
    return this.bindings.heldBytes(this.handle);
  }

  /** undefined when the pool is empty. */
  lease(bytes: number): SlotLease | undefined {
    const lease = this.bindings.lease(this.handle, bytes);
    if (lease === undefined) return undefined;
    return { ...lease, release: () => this.giveBack(lease.slot, lease.generation, lease.memory) };
  }

  /** Rejects with ShmError, or with EngineRefusal for what the engine said. */
  infer(request: ShmRequest, call: ShmCall = {}): Promise<ShmResult> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) throw new ShmError('SESSION_ENDED', 'the session has ended');
      if (call.signal?.aborted === true) throw new ShmError('CANCELLED', 'the request was given up');
      const id = ++this.lastId;
      const flight: Flight = { request, call, resolve, reject, answered: false };
      this.flights.add(id, flight);
      this.limit(id, flight);
      this.submit(id, flight);
    });
  }

  close(): Promise<void> {
    this.closed = true;
    this.bindings.closeSession(this.handle);
    this.failAll('the session was closed');
    return Promise.resolve();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private connect(): Promise<void> {
    const { settings, connectTimeoutMs } = sessionSettings(this.options);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.abandonOpening('the engine did not answer'), connectTimeoutMs);
      const settle = (): void => clearTimeout(timer);
      this.opening = {
        resolve: () => resolve(settle()),
        reject: (error) => reject((settle(), error)),
      };
      try {
        this.handle = this.bindings.openSession(settings, () => this.onEvent());
      } catch (error) {
        clearTimeout(timer);
        throw asShmError(error);
      }
    });
  }

  private abandonOpening(reason: string): void {
    this.opening?.reject(new ShmError('SOCKET_FAILED', reason));
    this.opening = null;
    this.closed = true;
    this.bindings.closeSession(this.handle);
  }

  /** The deadline and the caller's signal answer at once; the slots come back when the engine has let go. */
  private limit(id: number, flight: Flight): void {
    const { deadlineMs, signal } = flight.call;
    if (deadlineMs !== undefined) this.clock.expect(deadlineMs);
    if (signal === undefined) return;
    flight.onAbort = () => this.abandon(id, new ShmError('CANCELLED', 'the request was given up'));
    signal.addEventListener('abort', flight.onAbort, { once: true });
  }

  /** Answers what is late; when it is to be called next. */
  private expire(now: number): number {
    const late = (id: number): void => this.abandon(id, new ShmError('DEADLINE', 'the deadline passed'));
    return this.flights.expire(now, late);
  }

  private submit(id: number, flight: Flight): void {
    if (this.line.length > 0) return this.wait(id, flight);
    this.settleSubmit(id, flight, this.trySubmit(id, flight));
  }

  private trySubmit(id: number, { request, call }: Flight): number | null {
    try {
      return this.bindings.submit(
        this.handle,
        id,
        request.model,
        request.version,
        request.requestId,
        call.deadlineMs ?? 0,
        request.inputs,
        request.outputs ?? [],
        this.sizes.expected(request.model),
        this.inlineIfEmpty,
        call.lease,
        request.parameters,
      );
    } catch (error) {
      this.flights.answer(id, (flight) => flight.reject(asShmError(error) as Error));
      this.flights.forget(id);
      this.lookForEnd();
      return null;
    }
  }

  private settleSubmit(id: number, flight: Flight, submittedAs: number | null): void {
    if (submittedAs === null) return;
    if (submittedAs >= submitted.answered) {
      this.options.onSent?.(sendPaths[submittedAs - submitted.answered]!);
      return this.onEvent();
    }
    const result = submittedAs;
    const path = sendPaths[result];
    if (path !== undefined) return this.options.onSent?.(path);
    if (result !== submitted.tooLarge) return this.wait(id, flight);
    this.flights.answer(id, ({ reject }) => reject(new ShmError('TOO_LARGE', 'no slot is large enough')));
    this.flights.forget(id);
  }

  private wait(id: number, flight: Flight): void {
    this.options.onWait?.(flight.request.model);
    this.line.join(() => {
      if (flight.answered) {
        this.flights.forget(id);
        return true;
      }
      const result = this.trySubmit(id, flight);
      if (result === submitted.poolEmpty || result === submitted.ringFull) return false;
      this.settleSubmit(id, flight, result);
      return true;
    });
  }

  private abandon(id: number, error: Error): void {
    if (!this.flights.answer(id, (flight) => flight.reject(error))) return;
    if (this.isOpen && !this.bindings.cancel(this.handle, id)) this.lookForEnd();
  }

  /** A frame could not be sent: perhaps the engine broke the ring, and no event says so. */
  private lookForEnd(): void {
    if (!this.closed && this.bindings.state(this.handle) === 'ended') queueMicrotask(() => this.onEvent());
  }

  private onEvent(): void {
    const rows = this.bindings.takeAnswers(this.handle, this.slab);
    for (const row of rows) this.onAnswer(row);
    if (rows.length > 0) this.turnSlab(rows);
    const state = this.bindings.state(this.handle);
    if (state === 'ended') return this.onEnded();
    if (this.opening !== null && state === 'open') {
      this.isTaken = true;
      this.opening.resolve();
      this.opening = null;
    }
    if (this.line.length > 0) this.line.advance();
  }

  /** What was copied into the slab stays there: the next answers go behind it, or into a new one. */
  private turnSlab(rows: readonly AnswerRow[]): void {
    let used = 0;
    for (const [kind, , , , , bytes, inSlab] of rows as [number, 0, 0, 0, 0, number, number][]) {
      if (kind === answerKinds.result && inSlab >= 0) used = Math.max(used, inSlab + bytes);
    }
    if (used === 0) return;
    const rest = this.slab.length - used;
    this.slab = rest >= copyBelowBytes ? this.slab.subarray(used) : Buffer.allocUnsafeSlow(slabBytes);
  }

  private onEnded(): void {
    const reason = this.bindings.endReason(this.handle);
    this.opening?.reject(new ShmError('PEER_INVALID', reason));
    const wasOpen = this.opening === null && !this.closed;
    this.opening = null;
    this.closed = true;
    this.failAll(reason);
    if (wasOpen) this.options.onEnd?.(reason);
  }

  private failAll(reason: string): void {
    this.line.clear();
    this.clock.stop();
    this.flights.failAll(() => new ShmError('SESSION_ENDED', reason));
  }

  private onAnswer(row: AnswerRow): void {
    const id = row[1] as number;
    if (row[0] === answerKinds.grow) return this.onGrow(id, row[2] as number);
    if (row[0] === answerKinds.result) this.onResult(id, readResult(row));
    if (row[0] === answerKinds.failed) {
      const { kept, refusal } = readFailed(row);
      this.flights.answer(id, ({ reject }) => reject(refusal));
      if (kept) return;
    }
    this.flights.forget(id);
  }

  private onResult(id: number, result: ResultAnswer): void {
    const { slot, generation, bytes, inSlab } = result;
    const taken = this.flights.answer(id, (flight) => {
      this.sizes.remember(flight.request.model, result.outputs);
      flight.resolve(this.resultOf(result, flight.call.keep === true));
    });
    if (!taken && bytes > 0 && inSlab < 0) this.bindings.release(this.handle, slot, generation);
  }

  private resultOf(result: ResultAnswer, keep: boolean): ShmResult {
    const { slot, generation, version } = result;
    const memory = this.memoryOf(result, keep);
    const outputs = result.outputs.map(({ name, datatype, shape, offset, byteLength, copy }) => {
      const data = copy ?? viewOf(memory, offset, byteLength);
      return { name, datatype, shape, data };
    });
    const release = (): void => {
      if (memory instanceof ArrayBuffer) this.giveBack(slot, generation, memory);
    };
    return { version, outputs, release };
  }

  private memoryOf(
    { slot, generation, bytes, inSlab }: ResultAnswer,
    keep: boolean,
  ): Buffer | ArrayBuffer | undefined {
    if (bytes === 0) return undefined;
    if (inSlab >= 0) return this.slab.subarray(inSlab, inSlab + bytes);
    if (keep) return this.bindings.view(this.handle, slot, generation, bytes);
    return this.bindings.copyOut(this.handle, slot, generation, bytes);
  }

  private onGrow(id: number, bytes: number): void {
    const flight = this.flights.waiting(id);
    if (flight === undefined) return void this.bindings.cancel(this.handle, id);
    this.sizes.expect(flight.request.model, bytes);
    const fetch = (): boolean => {
      if (flight.answered) return true;
      const result = this.bindings.fetch(this.handle, id, bytes);
      if (result === submitted.ringFull) this.lookForEnd();
      if (result === submitted.tooLarge) {
        this.abandon(id, new ShmError('ANSWER_TOO_LARGE', `the answer has ${bytes} bytes, more than a slot`));
      }
      return result === submitted.inSlot || result === submitted.tooLarge;
    };
    if (!fetch()) this.line.join(fetch, 'first');
  }

  private giveBack(slot: number, generation: number, memory: ArrayBuffer): void {
    const freed = this.bindings.release(this.handle, slot, generation, memory);
    if (freed && !this.closed && this.line.length > 0) this.line.advance();
  }
}
