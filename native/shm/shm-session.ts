import {
  loadBindings,
  submitted,
  type NativeAnswer,
  type NativeLease,
  type NativeRequest,
  type NativeResult,
  type NativeTensor,
  type SessionHandle,
  type ShmBindings,
} from './bindings';
import { OutputSizes } from './output-sizes';
import { asShmError, EngineRefusal, ShmError } from './shm-error';
import { sizeClasses, type SizeClass } from './size-classes';
import { WaitingLine } from './waiting-line';

export interface ShmSessionOptions {
  /** The engine's Unix socket for sessions. */
  readonly socketPath: string;
  readonly classes?: readonly SizeClass[];
  readonly ringBytes?: number;
  readonly inlineBytes?: number;
  readonly mostInlineBytes?: number;
  /** What an empty pool means for a payload that a frame can carry; longer ones wait. */
  readonly whenEmpty?: 'wait' | 'inline';
  readonly connectTimeoutMs?: number;
  /** Called for every request that is on its way. */
  readonly onSent?: (path: SendPath) => void;
  /** Called for every request that has to wait for a slot or for room in the ring. */
  readonly onWait?: (model: string) => void;
  /** Called once, when the session ended without `close`. */
  readonly onEnd?: (reason: string) => void;
}

export interface ShmRequest {
  readonly model: string;
  readonly version: number;
  readonly requestId: string;
  readonly inputs: readonly NativeTensor[];
  readonly outputs?: readonly string[];
}

export interface ShmCall {
  /** Unix milliseconds; the engine cancels then, too. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Where the inputs lie already; it ends when the request is on its way. */
  readonly lease?: SlotLease;
  /** Outputs of more than `copyBelowBytes` stay in their slot until `release`; else they are copied out. */
  readonly keep?: boolean;
}

export interface ShmResult {
  readonly version: string;
  readonly outputs: readonly NativeTensor[];
  /** Ends the views of the outputs: a later read throws. Without `keep` there is nothing to end. */
  release(): void;
}

/** A slot to write inputs into. */
export interface SlotLease extends NativeLease {
  release(): void;
}

/** Where the payload of a request lies. */
export const sendPaths = ['slot', 'frame', 'frame_since_empty'] as const;
export type SendPath = (typeof sendPaths)[number];

interface Flight {
  readonly request: ShmRequest;
  readonly call: ShmCall;
  resolve(result: ShmResult): void;
  reject(error: Error): void;
  timer?: NodeJS.Timeout;
  onAbort?: () => void;
  /** The caller has its answer; the engine still has the slots. */
  answered: boolean;
}

const defaults = {
  ringBytes: 1_048_576,
  inlineBytes: 2_048,
  mostInlineBytes: 65_536,
  connectTimeoutMs: 2_000,
};
/** Below this a copy costs less than a view and its end. */
export const copyBelowBytes = 32_768;
const defaultPoolBytes = 256 * 1_024 * 1_024;

/**
 * A session with an engine: one sealed segment of shared memory, whose slots belong to us, and two rings for
 * descriptors. When the engine ends, so does the session (SESSION_ENDED); the memory goes with the last view.
 */
export class ShmSession implements AsyncDisposable {
  private readonly bindings: ShmBindings = loadBindings();
  private readonly flights = new Map<number, Flight>();
  private readonly line = new WaitingLine();
  private readonly sizes = new OutputSizes();
  private handle!: SessionHandle;
  private lastId = 0;
  private opening: { resolve(): void; reject(error: Error): void } | null = null;
  private closed = false;

  private constructor(private readonly options: ShmSessionOptions) {}

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
    return !this.closed && this.bindings.state(this.handle) === 'open';
  }
  get heldSlots(): number {
    return this.bindings.heldSlots(this.handle);
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
      this.flights.set(id, flight);
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
    const { socketPath, classes = sizeClasses(defaultPoolBytes) } = this.options;
    const { connectTimeoutMs, ...sizes } = { ...defaults, ...this.options };
    const { ringBytes, inlineBytes, mostInlineBytes } = sizes;
    const settings = { socketPath, classes, ringBytes, inlineBytes, mostInlineBytes };
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
    if (deadlineMs !== undefined) {
      const late = (): void => this.abandon(id, new ShmError('DEADLINE', 'the deadline passed'));
      flight.timer = setTimeout(late, Math.max(0, deadlineMs - Date.now()));
    }
    if (signal === undefined) return;
    flight.onAbort = () => this.abandon(id, new ShmError('CANCELLED', 'the request was given up'));
    signal.addEventListener('abort', flight.onAbort, { once: true });
  }

  private submit(id: number, flight: Flight): void {
    if (this.line.length > 0) return this.wait(id, flight);
    this.settleSubmit(id, flight, this.trySubmit(id, flight));
  }

  private trySubmit(id: number, { request, call }: Flight): number | null {
    const native: NativeRequest = {
      id,
      model: request.model,
      version: request.version,
      requestId: request.requestId,
      deadlineMs: call.deadlineMs ?? 0,
      inputs: request.inputs,
      outputs: request.outputs ?? [],
      outputBytes: this.sizes.expected(request.model),
      inlineIfEmpty: this.options.whenEmpty === 'inline',
    };
    try {
      return this.bindings.submit(this.handle, native, call.lease);
    } catch (error) {
      this.answer(id, (flight) => flight.reject(asShmError(error) as Error));
      this.flights.delete(id);
      return null;
    }
  }

  private settleSubmit(id: number, flight: Flight, result: number | null): void {
    if (result === null) return;
    const path = sendPaths[result];
    if (path !== undefined) return this.options.onSent?.(path);
    if (result !== submitted.tooLarge) return this.wait(id, flight);
    this.answer(id, ({ reject }) => reject(new ShmError('TOO_LARGE', 'no slot is large enough')));
    this.flights.delete(id);
  }

  private wait(id: number, flight: Flight): void {
    this.options.onWait?.(flight.request.model);
    this.line.join(() => {
      if (flight.answered) {
        this.flights.delete(id);
        return true;
      }
      const result = this.trySubmit(id, flight);
      if (result === submitted.poolEmpty || result === submitted.ringFull) return false;
      this.settleSubmit(id, flight, result);
      return true;
    });
  }

  private abandon(id: number, error: Error): void {
    if (!this.answer(id, (flight) => flight.reject(error))) return;
    if (this.bindings.state(this.handle) === 'open') this.bindings.cancel(this.handle, id);
  }

  /** Answers the caller, once. */
  private answer(id: number, settle: (flight: Flight) => void): boolean {
    const flight = this.flights.get(id);
    if (flight === undefined || flight.answered) return false;
    flight.answered = true;
    clearTimeout(flight.timer);
    if (flight.onAbort !== undefined) flight.call.signal?.removeEventListener('abort', flight.onAbort);
    settle(flight);
    return true;
  }

  private onEvent(): void {
    for (const answer of this.bindings.takeAnswers(this.handle)) this.onAnswer(answer);
    const state = this.bindings.state(this.handle);
    if (state === 'ended') return this.onEnded();
    if (state === 'open') this.opening?.resolve();
    if (state === 'open') this.opening = null;
    this.line.advance();
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
    const ids = [...this.flights.keys()];
    for (const id of ids) {
      this.answer(id, ({ reject }) => reject(new ShmError('SESSION_ENDED', reason)));
      this.flights.delete(id);
    }
  }

  private onAnswer(answer: NativeAnswer): void {
    if (answer.kind === 'grow') return this.onGrow(answer.id, answer.bytes);
    if (answer.kind === 'result') this.onResult(answer);
    if (answer.kind === 'failed') {
      const refusal = new EngineRefusal(answer.code, answer.ofTable, answer.message);
      this.answer(answer.id, ({ reject }) => reject(refusal));
      if (answer.kept) return;
    }
    this.flights.delete(answer.id);
  }

  private onResult(result: NativeResult): void {
    const { slot = 0, generation = 0, slotBytes = 0 } = result;
    const taken = this.answer(result.id, (flight) => {
      this.sizes.remember(flight.request.model, result.outputs);
      flight.resolve(this.resultOf(result, flight.call.keep === true));
    });
    if (!taken && slotBytes > 0) this.bindings.release(this.handle, slot, generation);
  }

  private resultOf(result: NativeResult, keep: boolean): ShmResult {
    const { slot = 0, generation = 0, slotBytes = 0, version } = result;
    let memory: ArrayBuffer | Buffer | undefined;
    if (keep && slotBytes > copyBelowBytes)
      memory = this.bindings.view(this.handle, slot, generation, slotBytes);
    else if (slotBytes > 0) memory = this.bindings.copyOut(this.handle, slot, generation, slotBytes);
    const outputs = result.outputs.map(({ name, datatype, shape, offset, byteLength, copy }) => {
      const data = copy ?? viewOf(memory, offset, byteLength);
      return { name, datatype, shape, data };
    });
    const release = (): void => {
      if (memory instanceof ArrayBuffer) this.giveBack(slot, generation, memory);
    };
    return { version, outputs, release };
  }

  private onGrow(id: number, bytes: number): void {
    const flight = this.flights.get(id);
    if (flight === undefined || flight.answered) return void this.bindings.cancel(this.handle, id);
    this.sizes.expect(flight.request.model, bytes);
    const fetch = (): boolean => {
      if (flight.answered) return true;
      const result = this.bindings.fetch(this.handle, id, bytes);
      if (result === submitted.tooLarge) {
        this.abandon(id, new ShmError('ANSWER_TOO_LARGE', `the answer has ${bytes} bytes, more than a slot`));
      }
      return result === submitted.inSlot || result === submitted.tooLarge;
    };
    if (!fetch()) this.line.join(fetch, 'first');
  }

  private giveBack(slot: number, generation: number, memory: ArrayBuffer): void {
    if (this.bindings.release(this.handle, slot, generation, memory) && !this.closed) this.line.advance();
  }
}

function viewOf(memory: ArrayBuffer | Buffer | undefined, offset: number, length: number): Buffer {
  if (memory === undefined || length === 0) return Buffer.alloc(0);
  return memory instanceof ArrayBuffer
    ? Buffer.from(memory, offset, length)
    : memory.subarray(offset, offset + length);
}
