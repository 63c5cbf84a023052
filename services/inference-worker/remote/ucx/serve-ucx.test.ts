import type { ConnectionListener, UcxConnection, UcxHost, UcxMessage } from '#native/ucx/ucx-host';
import { encodeHeader, frameKinds } from './frame-header';
import { networksOf } from './networks';
import { UcxServer } from './serve-ucx';

const facts = { version: '1.22.0', transports: ['tcp/lo'], port: 9, mostHeaderBytes: 8_192 };
const host = { facts } as unknown as UcxHost;
const connection = { setKey: () => undefined, send: () => Promise.resolve(), close: () => undefined };
const greeting = (token: Buffer): UcxMessage => {
  const header = encodeHeader(Buffer.alloc(16), frameKinds.hello, 0, token);
  return { header, bytes: 0, receive: () => Promise.resolve(), drop: () => undefined };
};

function serverWith(refused: string[]) {
  const server = new UcxServer({
    networks: networksOf(['127.0.0.0/8'])!,
    service: { infer: () => Promise.reject(new Error('not asked')), load: () => ({}) },
    maxMessageBytes: 1,
    host: '',
    events: {
      UcxPeerAdmitted: () => undefined,
      UcxPeerRefused: ({ reason, detail }) => void refused.push(`${reason}: ${detail}`),
      UcxPeerLeft: () => undefined,
    },
  });
  const { tokens } = server.serveOn(host);
  const come = (): ConnectionListener | undefined => {
    const session = server.onRequest('127.0.0.1');
    session?.onOpen?.(connection as unknown as UcxConnection);
    return session;
  };
  const greet = (session: ConnectionListener | undefined): void =>
    session?.onMessage(greeting(tokens.issue().token));
  return { server, come, greet };
}

test('connections that never greet take nobody’s place', async () => {
  const refused: string[] = [];
  const { server, come, greet } = serverWith(refused);
  // 64 strangers at most: of 300 the first 236 have given way to those after them.
  for (let i = 0; i < 300; i += 1) come();
  expect(server.peers).toBe(64);
  expect(refused).toHaveLength(236);
  expect(new Set(refused)).toEqual(new Set(['silent: no greeting, and many others came']));
  greet(come());
  // It is a peer, beside the 63 strangers that are left.
  expect(server.peers).toBe(64);
  for (let i = 0; i < 64; i += 1) come();
  expect(server.peers).toBe(65);
  await server.leave(0);
});

test('the 257th peer is refused, and told why', async () => {
  const refused: string[] = [];
  const { server, come, greet } = serverWith(refused);
  for (let i = 0; i < 256; i += 1) greet(come());
  expect(come()).toBeUndefined();
  expect([server.peers, refused]).toEqual([256, ['network: 256 peers are connected']]);
  await server.leave(0);
});
