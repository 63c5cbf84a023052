import type { ConnectionListener, UcxHost } from '#native/ucx/ucx-host';
import type { CallBounds } from '../../protocol/calls-under-way';
import { CallsUnderWay } from '../../protocol/calls-under-way';
import { protocolVersion } from './frame-header';
import type { Networks } from './networks';
import type { PeerService } from './peer-service';
import { PeerSession } from './peer-session';
import { PeerTokens } from './peer-tokens';
import type { HandshakeSide } from './serve-handshake';
import type { UcxEvents } from './ucx-events';

export interface UcxServerOptions {
  readonly networks: Networks;
  readonly service: PeerService;
  readonly maxMessageBytes: number;
  /** Where the handshake says that we listen; empty: where it was asked. */
  readonly host: string;
  readonly atOnce?: CallBounds;
  readonly greetingMs?: number;
  readonly silenceMs?: number;
  readonly tokenMs?: number;
  readonly mostUnreadBytes?: number;
  /** An eighth of the usual pool. */
  readonly mostKeptBytes?: number;
  readonly events: Pick<UcxEvents, 'UcxPeerAdmitted' | 'UcxPeerRefused' | 'UcxPeerLeft'>;
}

const defaults = {
  greetingMs: 2_000,
  silenceMs: 3_000,
  tokenMs: 10_000,
  mostUnreadBytes: 268_435_456,
  mostKeptBytes: 33_554_432,
};
/** Beyond it nobody is let in. */
const mostPeers = 256;
/** Of those that have not shown a token yet: they take nobody's place, the next one takes that of the oldest of them. */
const mostStrangers = 64;

/** Other workers' connections. Its `listener` goes into the host's options, before the host is there. */
export class UcxServer {
  private readonly sessions = new Set<PeerSession>();
  private readonly tokens: PeerTokens;
  private readonly underWay: CallsUnderWay;
  private host: UcxHost | null = null;
  private isLeaving = false;

  constructor(private readonly options: UcxServerOptions) {
    const { maxMessageBytes } = options;
    this.tokens = new PeerTokens(options.tokenMs ?? defaults.tokenMs);
    this.underWay = new CallsUnderWay(options.atOnce ?? { calls: 1_000, bytes: 8 * maxMessageBytes });
  }

  get peers(): number {
    return this.sessions.size;
  }

  /** For UcxHostOptions.onRequest. */
  readonly onRequest = (address: string): ConnectionListener | undefined => {
    const { networks, events } = this.options;
    if (this.host === null || this.isLeaving) return undefined;
    const known = [...this.sessions].filter(({ isKnown }) => isKnown).length;
    if (!networks.contain(address) || known >= mostPeers) {
      const detail = networks.contain(address)
        ? `${mostPeers} peers are connected`
        : 'not in a listed network';
      events.UcxPeerRefused({ address, reason: 'network', detail });
      return undefined;
    }
    if (this.sessions.size - known >= mostStrangers) this.endOldestStranger();
    return this.sessionOf(this.host, address);
  };

  /** What answers the handshake, once the host is there. */
  serveOn(host: UcxHost): HandshakeSide {
    this.host = host;
    const { version, transports, port } = host.facts;
    const { events, host: name, maxMessageBytes } = this.options;
    const onRefused = (detail: string): void =>
      events.UcxPeerRefused({ address: '', reason: 'handshake', detail });
    const offer = { protocol: protocolVersion, version, transports };
    return { offer, tokens: this.tokens, host: name, port, maxMessageBytes, onRefused };
  }

  /** Nobody new is let in and peers send nothing new; resolves when what is under way is answered, or after so long. */
  async leave(mostMs: number): Promise<void> {
    this.isLeaving = true;
    const untilMs = performance.now() + mostMs;
    for (const session of this.sessions) session.sayBye();
    while ([...this.sessions].some(({ inWork }) => inWork > 0) && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const session of [...this.sessions]) session.close();
  }

  /** Who means it greets at once. */
  private endOldestStranger(): void {
    for (const session of this.sessions) if (!session.isKnown) return session.giveWay();
  }

  private sessionOf(host: UcxHost, address: string): PeerSession {
    const { service, maxMessageBytes, events } = this.options;
    const { greetingMs, silenceMs, mostUnreadBytes, mostKeptBytes } = { ...defaults, ...this.options };
    const { tokens, underWay } = this;
    const limits = { maxMessageBytes, greetingMs, silenceMs, mostUnreadBytes, mostKeptBytes };
    const onEnd = (ended: PeerSession): void => void this.sessions.delete(ended);
    const session = new PeerSession({ host, address, tokens, service, underWay, ...limits, events, onEnd });
    this.sessions.add(session);
    return session;
  }
}
