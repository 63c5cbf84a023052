import { Server } from '@grpc/grpc-js';
import { bindServer } from '#lib/grpc-bind';
import type { ConnectionListener, UcxConnection, UcxHost, UcxMessage } from '#native/ucx/ucx-host';
import { encodeHeader, frameKinds, protocolVersion } from './frame-header';
import { peerProtocol } from './handshake-protocol';
import { networksOf } from './networks';
import { PeerTokens } from './peer-tokens';
import { handshakeHandlers } from './serve-handshake';
import { UcxLink } from './ucx-link';

const facts = { version: '1.22.0', transports: ['tcp/lo'], port: 0, mostHeaderBytes: 8_192 };
const message = (header: Buffer): UcxMessage => {
  return { header, bytes: 0, receive: () => Promise.resolve(), drop: () => undefined };
};

/** A library that answers a greeting with what `greeted` does, in one turn of the event loop. */
function hostThat(greeted: (listener: ConnectionListener) => void): UcxHost & { connects: number } {
  const host = {
    connects: 0,
    facts,
    hold: () => undefined,
    letGo: () => undefined,
    connect(_host: string, _port: number, listener: ConnectionListener): Partial<UcxConnection> {
      host.connects += 1;
      const send = (): Promise<void> => {
        setImmediate(() => greeted(listener));
        return Promise.resolve();
      };
      return { setKey: () => undefined, send, close: () => undefined };
    },
  };
  return host as unknown as UcxHost & { connects: number };
}

describe('UcxLink', () => {
  const grpc = new Server();
  const told: string[] = [];
  const events = {
    UcxOpened: () => void told.push('opened'),
    UcxLost: ({ reason }: { reason: string }) => void told.push(`lost: ${reason}`),
    UcxEnded: () => void told.push('ended'),
    UcxUnavailable: ({ reason }: { reason: string }) => void told.push(reason),
  };
  let address = '';

  beforeAll(async () => {
    const tokens = new PeerTokens(10_000);
    const offer = { protocol: protocolVersion, version: facts.version, transports: facts.transports };
    const side = { offer, tokens, host: '', port: 9, maxMessageBytes: 1, onRefused: () => undefined };
    grpc.addService(
      peerProtocol(),
      handshakeHandlers(() => side),
    );
    address = `127.0.0.1:${await bindServer(grpc, '127.0.0.1:0')}`;
  });
  afterAll(() => grpc.forceShutdown());
  beforeEach(() => void told.splice(0));

  const linkOver = (host: UcxHost, network: string): UcxLink => {
    const networks = networksOf([network])!;
    return new UcxLink({ host, address, tls: null, networks, events });
  };

  // What begins and ends within one batch of events was taken for open, or was an uncaught error.
  it('opens again later where the end comes with the welcome', async () => {
    const host = hostThat((listener) => {
      listener.onMessage(message(encodeHeader(Buffer.alloc(16), frameKinds.welcome)));
      listener.onClosed('it went');
    });
    const link = linkOver(host, '127.0.0.0/8');
    await link.settled();
    expect(told).toEqual(['it went']);
    expect(link.current()).toBeNull();
    await link.close();
  });

  it.each([
    ['is no loss where the peer has said goodbye', [frameKinds.welcome, frameKinds.bye], ['opened', 'ended']],
    ['is one where it has not', [frameKinds.welcome], ['opened', 'lost: it went']],
  ])('an end %s', async (_, kinds, expected) => {
    let closed: () => void = () => undefined;
    const host = hostThat((listener) => {
      for (const kind of kinds) listener.onMessage(message(encodeHeader(Buffer.alloc(16), kind)));
      closed = () => listener.onClosed('it went');
    });
    const link = linkOver(host, '127.0.0.0/8');
    await link.settled();
    closed();
    expect(told).toEqual(expected);
    await link.close();
  });

  it('shows its token to nobody outside of the networks', async () => {
    const host = hostThat(() => undefined);
    const link = linkOver(host, '10.0.0.0/8');
    await link.settled();
    expect(told).toEqual(['its UCX is at 127.0.0.1, in no network that is listed here']);
    expect(host.connects).toBe(0);
    await link.close();
  });
});
