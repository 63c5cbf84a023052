import type { AnswerNotes, InferResponse } from '#lib/engine-client/port';
import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import type { ConnectionListener, UcxConnection, UcxHost, UcxMessage } from '#native/ucx/ucx-host';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import type { CallsUnderWay } from '../../protocol/calls-under-way';
import { partsOf, tensorsOver } from './frame-data';
import { describeAnswer, describeFailure, readRequest, type DescribedRequest } from './frame-descriptions';
import {
  bareHeaderBytes,
  decodeHeader,
  encodeHeader,
  FrameError,
  frameKinds,
  type FrameHeader,
  type FrameKind,
} from './frame-header';
import { Heartbeat } from './heartbeat';
import type { PeerService } from './peer-service';
import type { PeerTokens } from './peer-tokens';
import { refusalOf } from './refusals';
import { UnreadAnswers } from './unread-answers';
import type { UcxEvents, UcxRefusalReason } from './ucx-events';

export interface PeerSessionOptions {
  readonly host: UcxHost;
  readonly address: string;
  readonly tokens: PeerTokens;
  readonly service: PeerService;
  /** Of all peers together. */
  readonly underWay: CallsUnderWay;
  readonly maxMessageBytes: number;
  /** Of answers that the peer doesn't read. */
  readonly mostUnreadBytes: number;
  /** Of those, in the engine's slots. */
  readonly mostKeptBytes: number;
  /** Until its greeting. */
  readonly greetingMs: number;
  /** A peer that says nothing for so long is given up. */
  readonly silenceMs: number;
  readonly events: Pick<UcxEvents, 'UcxPeerAdmitted' | 'UcxPeerRefused' | 'UcxPeerLeft'>;
  /** Once. */
  readonly onEnd: (session: PeerSession) => void;
}

/** Another worker's connection: its requests come in, our answers go out. */
export class PeerSession implements ConnectionListener {
  private connection: UcxConnection | undefined;
  private key: Buffer | null = null;
  private readonly requests = new Map<number, AbortController>();
  private readonly greetingTimer: NodeJS.Timeout;
  private heartbeat: Heartbeat | undefined;
  private readonly unread: UnreadAnswers;
  private ended = false;

  constructor(private readonly options: PeerSessionOptions) {
    this.unread = new UnreadAnswers(options.mostKeptBytes);
    const late = (): void => this.refuse('silent', 'no greeting');
    this.greetingTimer = setTimeout(late, options.greetingMs);
    this.greetingTimer.unref();
  }

  onOpen(connection: UcxConnection): void {
    this.connection = connection;
  }

  onMessage(message: UcxMessage): void {
    this.heartbeat?.heard();
    try {
      const frame = decodeHeader(message.header);
      if (this.key === null) return this.onGreeting(frame);
      this.onFrame(frame, message);
    } catch (error) {
      message.drop();
      this.refuse('malformed', (error as Error).message);
    }
  }

  /** The addon's reasons for what a peer may not do are ours. */
  onClosed(reason: string): void {
    if (/^a message without|^more |^a header longer/.test(reason)) return this.refuse('malformed', reason);
    this.leave(reason);
  }

  /** Nothing new comes then. */
  sayBye(): void {
    this.send(frameKinds.bye);
  }

  /** Whatever is under way is given up. */
  close(): void {
    this.end();
  }

  /** It has shown a token. */
  get isKnown(): boolean {
    return this.key !== null;
  }

  /** Too many others have come since that have not greeted either. */
  giveWay(): void {
    this.refuse('silent', 'no greeting, and many others came');
  }

  get inWork(): number {
    return this.requests.size;
  }

  private onGreeting({ kind, description }: FrameHeader): void {
    const key = kind === frameKinds.hello ? this.options.tokens.take(description) : null;
    if (key === null)
      return this.refuse('token', 'a token that was not issued, or was shown before, or is too old');
    clearTimeout(this.greetingTimer);
    this.key = key;
    this.connection!.setKey(key);
    const silent = (): void => this.refuse('silent', `it said nothing for ${this.options.silenceMs} ms`);
    this.heartbeat = new Heartbeat(this.options.silenceMs, () => undefined, silent);
    this.options.events.UcxPeerAdmitted({ address: this.options.address });
    this.send(frameKinds.welcome);
  }

  private onFrame(frame: FrameHeader, message: UcxMessage): void {
    const { kind, id } = frame;
    if (kind === frameKinds.infer) return this.onRequest(frame, message);
    message.drop();
    if (kind === frameKinds.ping) this.send(frameKinds.pong);
    else if (kind === frameKinds.cancel) this.requests.get(id)?.abort();
    else throw new FrameError(`a frame of kind ${kind}`);
  }

  private onRequest(frame: FrameHeader, message: UcxMessage): void {
    const { id, remainingMs, description } = frame;
    const { maxMessageBytes, underWay } = this.options;
    if (message.bytes > maxMessageBytes) {
      message.drop();
      return this.refuse('too_large', `${message.bytes} bytes, the limit is ${maxMessageBytes}`);
    }
    if (this.requests.has(id)) throw new FrameError('an id that is in use');
    if (!(remainingMs >= 0)) throw new FrameError('a time that remains that is none');
    const until = (Date.now() + Math.min(remainingMs, LONGEST_TIMER_MS)) as UnixMs;
    const described = readRequest(description, message.bytes);
    let over: () => void;
    try {
      over = underWay.enter(message.bytes, until);
    } catch (error) {
      message.drop();
      return this.sendFailure(id, error as RoundhouseError);
    }
    const abort = new AbortController();
    this.requests.set(id, abort);
    void this.serve(id, described, message, until, abort.signal).finally(() => {
      this.requests.delete(id);
      over();
    });
  }

  /** Never rejects. */
  private async serve(
    id: number,
    described: DescribedRequest,
    message: UcxMessage,
    until: UnixMs,
    signal: AbortSignal,
  ): Promise<void> {
    const { service } = this.options;
    const lease = message.bytes === 0 ? undefined : service.lease?.(message.bytes);
    try {
      const memory = lease === undefined ? Buffer.allocUnsafeSlow(message.bytes) : Buffer.from(lease.memory);
      const bytes = memory.subarray(0, message.bytes);
      if (message.bytes > 0) await message.receive(bytes);
      if (signal.aborted) return;
      const { model, version, requestId, parameters, size } = described;
      const inputs = tensorsOver(bytes, described);
      const request = { model, version, requestId, inputs, size, parameters: recordOf(parameters) };
      const startedMs = performance.now();
      const answer = await service.infer(
        { ...request, keepOutputs: true, ...(lease === undefined ? {} : { lease }) },
        until,
        signal,
      );
      const thereMs = performance.now() - startedMs;
      const notes = { deviceKind: answer.deviceKind, load: service.load(), thereMs };
      await this.answer(id, answer.response, notes, signal);
    } catch (error) {
      if (!signal.aborted) this.sendFailure(id, asRoundhouseError(error));
    } finally {
      lease?.release();
    }
  }

  private async answer(
    id: number,
    response: InferResponse,
    notes: AnswerNotes,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return response.release?.();
    const { unread } = this;
    const { data, leave } = unread.enter(response);
    try {
      const description = describeAnswer(response, notes);
      if (unread.bytes > this.options.mostUnreadBytes) {
        return this.refuse('unread_answers', `${unread.bytes} bytes of answers that it doesn't read`);
      }
      await this.sent(encodeHeader(this.key!, frameKinds.answer, id, description), partsOf(data));
    } finally {
      leave();
    }
  }

  private sendFailure(id: number, error: RoundhouseError): void {
    const { host, service } = this.options;
    const mostBytes = host.facts.mostHeaderBytes - bareHeaderBytes;
    this.send(frameKinds.failure, id, describeFailure(error, refusalOf(error), service.load(), mostBytes));
  }

  private send(kind: FrameKind, id = 0, description?: Buffer): void {
    if (this.key === null) return;
    this.sent(encodeHeader(this.key, kind, id, description), []).catch((error: Error) =>
      this.leave(error.message),
    );
  }

  /** Resolves when the parts are free; a connection that ends says so by itself. */
  private async sent(header: Buffer, parts: readonly Uint8Array[]): Promise<void> {
    if (this.ended) return;
    if (header.length > this.options.host.facts.mostHeaderBytes) throw tooLongAnswer(header.length);
    await this.connection!.send(header, parts).catch((error: Error) => this.leave(error.message));
  }

  private refuse(reason: UcxRefusalReason, detail: string): void {
    if (this.ended) return;
    this.options.events.UcxPeerRefused({ address: this.options.address, reason, detail });
    this.end();
  }

  private leave(reason: string): void {
    if (this.ended) return;
    const { address } = this.options;
    this.options.events.UcxPeerLeft({ address, reason, underWay: this.requests.size });
    this.end();
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.greetingTimer);
    this.heartbeat?.stop();
    this.connection?.close();
    for (const abort of this.requests.values()) abort.abort();
    this.options.onEnd(this);
  }
}

function asRoundhouseError(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  return new RoundhouseError('INTERNAL', error instanceof Error ? error.message : String(error), [], {
    cause: error,
  });
}

function tooLongAnswer(bytes: number): RoundhouseError {
  return new RoundhouseError(
    'MODEL_FAILED',
    `the answer's description has ${bytes} bytes, more than UCX takes`,
  );
}

function recordOf(row: DescribedRequest['parameters']): Record<string, bigint | number | boolean | string> {
  const entries = Array.from({ length: row.length / 2 }, (_, i) => [row[2 * i] as string, row[2 * i + 1]!]);
  return Object.fromEntries(entries) as Record<string, bigint | number | boolean | string>;
}
