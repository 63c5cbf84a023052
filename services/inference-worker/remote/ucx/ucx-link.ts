import { defaultMaxMessageBytes } from '#lib/engine-client/grpc';
import type { PeerTls } from '#lib/peer-tls';
import type { UcxHost } from '#native/ucx/ucx-host';
import { protocolVersion } from './frame-header';
import { askHandshake, UcxRefused } from './ask-handshake';
import type { Networks } from './networks';
import type { UcxEvents } from './ucx-events';
import { SessionEnded, UcxSession } from './ucx-session';

export interface UcxLinkOptions {
  readonly host: UcxHost;
  /** host:port of the other worker's peer port. */
  readonly address: string;
  readonly tls: PeerTls | null;
  /** Where a peer's UCX may be: nothing of ours is sent elsewhere in the clear. */
  readonly networks: Networks;
  readonly maxAnswerBytes?: number;
  readonly silenceMs?: number;
  readonly openTimeoutMs?: number;
  readonly pauses?: Pauses;
  readonly events: Pick<UcxEvents, 'UcxOpened' | 'UcxLost' | 'UcxEnded' | 'UcxUnavailable'>;
}

export interface Pauses {
  readonly firstMs: number;
  readonly lastMs: number;
  /** After a refusal: versions and transports change only when a worker is replaced. */
  readonly refusedMs: number;
}

const defaults = { silenceMs: 1_000, openTimeoutMs: 2_000, maxAnswerBytes: defaultMaxMessageBytes };
const usualPauses: Pauses = { firstMs: 250, lastMs: 30_000, refusedMs: 60_000 };

/** Keeps a connection over UCX to one peer: opened by a handshake over gRPC, again after growing pauses when it breaks. */
export class UcxLink {
  private session: UcxSession | null = null;
  private opening: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private pauseMs: number;
  private closed = false;
  private readonly pauses: Pauses;

  constructor(private readonly options: UcxLinkOptions) {
    this.pauses = options.pauses ?? usualPauses;
    this.pauseMs = this.pauses.firstMs;
    this.open();
  }

  /** null where there is none now: nobody waits for one. */
  current(): UcxSession | null {
    return this.session?.isOpen === true ? this.session : null;
  }

  /** When the attempt that is under way has ended, well or not. */
  async settled(): Promise<void> {
    await this.opening;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.opening;
    this.session?.close();
    this.session = null;
  }

  private open(): void {
    this.opening = this.attempt().then(
      (session) => this.opened(session),
      (error: Error) => this.openLater(error),
    );
  }

  private async attempt(): Promise<UcxSession> {
    const { host, address, tls, networks } = this.options;
    const { silenceMs, openTimeoutMs, maxAnswerBytes } = { ...defaults, ...this.options };
    const { version, transports } = host.facts;
    const offer = { protocol: protocolVersion, version, transports };
    const invitation = await askHandshake(address, tls, offer, openTimeoutMs);
    if (!networks.contain(invitation.host))
      throw new UcxRefused(`its UCX is at ${invitation.host}, in no network that is listed here`);
    return UcxSession.open({
      host,
      invitation,
      openTimeoutMs,
      silenceMs,
      maxAnswerBytes,
      onEnd: (session, reason) => this.onEnd(session, reason),
    });
  }

  private opened(session: UcxSession): void {
    this.opening = null;
    if (this.closed) return session.close();
    // Its end may come with its beginning.
    if (session.whyEnded !== null) return this.openLater(new SessionEnded(session.whyEnded));
    this.session = session;
    this.pauseMs = this.pauses.firstMs;
    this.options.events.UcxOpened({ peer: this.options.address });
  }

  private onEnd(session: UcxSession, reason: string): void {
    if (this.session !== session) return;
    this.session = null;
    if (this.closed) return;
    const { events, address: peer } = this.options;
    if (session.isLeaving) events.UcxEnded({ peer });
    else events.UcxLost({ peer, reason });
    this.again(this.pauses.firstMs);
  }

  private openLater(error: Error): void {
    this.opening = null;
    if (this.closed) return;
    const pauseMs = error instanceof UcxRefused ? this.pauses.refusedMs : this.pauseMs;
    this.options.events.UcxUnavailable({
      peer: this.options.address,
      reason: error.message,
      againInMs: pauseMs,
    });
    this.pauseMs = Math.min(this.pauseMs * 2, this.pauses.lastMs);
    this.again(pauseMs);
  }

  private again(pauseMs: number): void {
    this.timer = setTimeout(() => this.open(), pauseMs);
    this.timer.unref();
  }
}
