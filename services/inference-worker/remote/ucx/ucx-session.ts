import { DeadlineClock } from '#lib/deadline-clock';
import { asCallerSees } from '#lib/engine-client/grpc-errors';
import type { InferRequest, InferResponse } from '#lib/engine-client/port';
import type { ConnectionListener, UcxConnection, UcxHost, UcxMessage } from '#native/ucx/ucx-host';
import type { UnixMs } from '#schemas/brands';
import { isErrorCode, RoundhouseError } from '#schemas/errors';
import type { Invitation } from './ask-handshake';
import { partsOf, placesOf, tensorsOver } from './frame-data';
import { describeRequest, readAnswer, readFailure } from './frame-descriptions';
import { decodeHeader, encodeHeader, frameKinds, type FrameHeader } from './frame-header';
import { Heartbeat } from './heartbeat';
import { errorOf } from './refusals';

export interface UcxSessionOptions {
  readonly host: UcxHost;
  readonly invitation: Invitation;
  readonly openTimeoutMs: number;
  /** A peer that says nothing for so long is given up. */
  readonly silenceMs: number;
  /** What the peer may answer, whatever it takes itself. */
  readonly maxAnswerBytes: number;
  /** Once, when it ended without `close`. */
  readonly onEnd: (session: UcxSession, reason: string) => void;
}

/** The connection ended, with the request or before it: it may be sent another way. */
export class SessionEnded extends Error {}
/** It has to go another way, whatever the connection. */
export class TooLargeForUcx extends Error {}

interface Flight {
  readonly deadline: UnixMs;
  resolve(answer: InferResponse): void;
  reject(error: Error): void;
}

const zeroKey = Buffer.alloc(16);

/** A connection to another worker, as its client. */
export class UcxSession implements ConnectionListener {
  private connection!: UcxConnection;
  private readonly flights = new Map<number, Flight>();
  private readonly clock = new DeadlineClock((now) => this.expire(now));
  private heartbeat: Heartbeat | undefined;
  private opening: { resolve(): void; reject(error: Error): void } | null = null;
  private openTimer: NodeJS.Timeout | undefined;
  private lastId = 0;
  private endReason: string | null = null;
  private leaving = false;

  private constructor(private readonly options: UcxSessionOptions) {}

  /** Rejects with SessionEnded. */
  static open(options: UcxSessionOptions): Promise<UcxSession> {
    const session = new UcxSession(options);
    options.host.hold();
    const opened = new Promise<UcxSession>((resolve, reject) => {
      session.opening = { resolve: () => resolve(session), reject };
      session.connect();
    });
    return opened.finally(() => options.host.letGo());
  }

  /** Whether a request may be sent. */
  get isOpen(): boolean {
    return this.opening === null && this.endReason === null && !this.leaving;
  }
  get inFlight(): number {
    return this.flights.size;
  }
  /** The peer has said goodbye: its end is no loss. */
  get isLeaving(): boolean {
    return this.leaving;
  }
  /** null until it has ended. */
  get whyEnded(): string | null {
    return this.endReason;
  }

  /** Rejects with SessionEnded, TooLargeForUcx, or RoundhouseError as an EngineClient does. */
  async infer(request: InferRequest, deadline: UnixMs, signal?: AbortSignal): Promise<InferResponse> {
    if (!this.isOpen) throw new SessionEnded('it has ended');
    const id = ++this.lastId;
    const { key, maxMessageBytes } = this.options.invitation;
    const remainingMs = Math.max(0, deadline - Date.now());
    const header = encodeHeader(key, frameKinds.infer, id, describeRequest(request), remainingMs);
    const { bytes } = placesOf(request.inputs.map(({ data }) => data.byteLength));
    if (header.length > this.options.host.facts.mostHeaderBytes || bytes > maxMessageBytes) {
      throw new TooLargeForUcx(`${header.length} bytes of description, ${bytes} of data`);
    }
    const onAbort = (): void => this.abandon(id, abandoned(signal!));
    signal?.addEventListener('abort', onAbort, { once: true });
    this.options.host.hold();
    try {
      return await new Promise((resolve, reject) => {
        if (signal?.aborted === true) throw abandoned(signal);
        this.flights.set(id, { deadline, resolve, reject });
        this.clock.expect(deadline);
        this.send(header, partsOf(request.inputs.map(({ data }) => data)));
      });
    } finally {
      this.options.host.letGo();
      signal?.removeEventListener('abort', onAbort);
      request.onLetGo?.();
    }
  }

  close(): void {
    this.end('closed', false);
  }

  onMessage(message: UcxMessage): void {
    this.heartbeat?.heard();
    try {
      this.onFrame(decodeHeader(message.header), message);
    } catch (error) {
      message.drop();
      this.end(`the peer broke the protocol: ${(error as Error).message}`);
    }
  }

  onClosed(reason: string): void {
    this.end(reason);
  }

  private connect(): void {
    const { host, invitation, openTimeoutMs } = this.options;
    this.connection = host.connect(invitation.host, invitation.port, this);
    this.openTimer = setTimeout(() => this.end('the peer did not answer'), openTimeoutMs);
    this.connection.setKey(invitation.key);
    this.send(encodeHeader(zeroKey, frameKinds.hello, 0, invitation.token));
  }

  private welcomed(): void {
    clearTimeout(this.openTimer);
    this.opening?.resolve();
    this.opening = null;
    const { silenceMs, invitation } = this.options;
    const ping = (): void => this.send(encodeHeader(invitation.key, frameKinds.ping));
    this.heartbeat = new Heartbeat(silenceMs, ping, () =>
      this.end(`the peer said nothing for ${silenceMs} ms`),
    );
  }

  private onFrame(frame: FrameHeader, message: UcxMessage): void {
    const { kind, id } = frame;
    if (kind === frameKinds.answer) return this.onAnswer(id, frame, message);
    message.drop();
    if (kind === frameKinds.failure) return this.onFailure(id, frame);
    if (kind === frameKinds.welcome && this.opening !== null) return this.welcomed();
    if (kind === frameKinds.bye) this.leaving = true;
    else if (kind !== frameKinds.pong) throw new Error(`a frame of kind ${kind}`);
  }

  /** Where nobody waits for it any more, its data stay where they are. */
  private onAnswer(id: number, { description }: FrameHeader, message: UcxMessage): void {
    const flight = this.flights.get(id);
    if (flight === undefined) return message.drop();
    const { lengths, tensors, model, version, notes } = readAnswer(description, message.bytes);
    const { maxAnswerBytes } = this.options;
    if (message.bytes > maxAnswerBytes) {
      message.drop();
      return this.settle(id, () => flight.reject(answerTooLarge(message.bytes, maxAnswerBytes)));
    }
    const memory = Buffer.allocUnsafeSlow(message.bytes);
    const answered = (): void => {
      const outputs = tensorsOver(memory, { tensors, lengths });
      this.settle(id, () => flight.resolve({ model, version, outputs, notes }));
    };
    if (message.bytes === 0) answered();
    else message.receive(memory).then(answered, (error: Error) => this.end(error.message));
  }

  private onFailure(id: number, { description }: FrameHeader): void {
    const { code, message, refusal, remainingMs, load } = readFailure(description);
    const known = isErrorCode(code) ? asCallerSees(code) : 'MODEL_FAILED';
    const flight = this.flights.get(id);
    this.settle(id, () => flight!.reject(errorOf(known, message, refusal, remainingMs, load)));
  }

  private settle(id: number, answer: () => void): void {
    if (this.flights.delete(id)) answer();
  }

  /** The peer is told, so that it ends its part. */
  private abandon(id: number, error: Error): void {
    const flight = this.flights.get(id);
    if (flight === undefined) return;
    this.settle(id, () => flight.reject(error));
    this.send(encodeHeader(this.options.invitation.key, frameKinds.cancel, id));
  }

  private expire(now: number): number {
    let next = Infinity;
    for (const [id, { deadline }] of this.flights) {
      if (deadline <= now) this.abandon(id, new RoundhouseError('DEADLINE_EXCEEDED', 'the deadline passed'));
      else next = Math.min(next, deadline);
    }
    return next;
  }

  private send(header: Buffer, parts: readonly Uint8Array[] = []): void {
    if (this.endReason !== null) return;
    this.connection.send(header, parts).catch((error: Error) => this.end(error.message));
  }

  private end(reason: string, tells = true): void {
    if (this.endReason !== null) return;
    this.endReason = reason;
    clearTimeout(this.openTimer);
    this.heartbeat?.stop();
    this.clock.stop();
    this.connection.close();
    const error = new SessionEnded(reason);
    const wasOpen = this.opening === null;
    this.opening?.reject(error);
    this.opening = null;
    for (const { reject } of this.flights.values()) reject(error);
    this.flights.clear();
    if (tells && wasOpen) this.options.onEnd(this, reason);
  }
}

/** The caller's own reason where it is one of ours. */
function abandoned(signal: AbortSignal): RoundhouseError {
  if (signal.reason instanceof RoundhouseError) return signal.reason;
  return new RoundhouseError('DEADLINE_EXCEEDED', 'the caller gave the request up');
}

function answerTooLarge(bytes: number, limit: number): RoundhouseError {
  return new RoundhouseError('MODEL_FAILED', `the answer has ${bytes} bytes, the limit is ${limit}`);
}
