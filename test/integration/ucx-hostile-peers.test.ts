import { randomBytes } from 'node:crypto';
import type { ConnectionListener, UcxConnection, UcxHost, UcxMessage } from '#native/ucx/ucx-host';
import { describeRequest } from '#services/inference-worker/remote/ucx/frame-descriptions';
import { decodeHeader, encodeHeader, frameKinds } from '#services/inference-worker/remote/ucx/frame-header';
import { askHandshake, type Invitation } from '#services/inference-worker/remote/ucx/ask-handshake';
import { until } from '../support/until';
import { ask, closeHosts, describeUcx, echo, inSeconds, openHost, Peer, requestOf } from './ucx-harness';

const zeroKey: Buffer = Buffer.alloc(16);
let peer: Peer;
let host: UcxHost;
let neighbour: ReturnType<typeof ask>;

/** Whatever a peer does, another one sees no fault. */
async function neighbourIsWell(): Promise<void> {
  const { outputs } = await neighbour.client.infer(requestOf(Buffer.from('still here')), inSeconds(30));
  expect(outputs[0]!.data.toString()).toBe('still here');
  expect(neighbour.recorder.of('UcxFellBack')).toHaveLength(0);
}

afterEach(async () => {
  try {
    await neighbourIsWell();
  } finally {
    await neighbour.client.close();
    peer.close();
    closeHosts();
  }
});

async function startPeer(options: Parameters<typeof Peer.start>[0] = {}): Promise<void> {
  peer = await Peer.start(options);
  host = openHost();
  neighbour = ask(peer.address);
  await until(() => neighbour.recorder.of('UcxOpened').length === 1, 'the neighbour is connected');
}

const invite = (): Promise<Invitation> => askHandshake(peer.address, null, peer.side.offer, 10_000);

/** A peer without manners: what it gets, and why it was cut off. */
class Stranger implements ConnectionListener {
  readonly got: UcxMessage[] = [];
  closed: string | null = null;
  readonly connection: UcxConnection;

  constructor(readonly key: Buffer) {
    this.connection = host.connect('127.0.0.1', peer.side.port, this);
    this.connection.setKey(key);
  }
  onMessage(message: UcxMessage): void {
    this.got.push(message);
  }
  onClosed(reason: string): void {
    this.closed = reason;
  }
  send(header: Buffer, ...parts: Buffer[]): void {
    this.connection.send(header, parts).catch(() => undefined);
  }
  get kinds(): number[] {
    return this.got.map(({ header }) => decodeHeader(header).kind);
  }
}

function stranger(key: Buffer = zeroKey): Stranger {
  return new Stranger(key);
}

async function admitted(): Promise<Stranger> {
  const { token, key } = await invite();
  const one = stranger(key);
  one.send(encodeHeader(zeroKey, frameKinds.hello, 0, token));
  await until(() => one.kinds.includes(frameKinds.welcome), 'a welcome');
  return one;
}

async function isRefused(one: Stranger, reason: string): Promise<void> {
  await until(() => peer.recorder.refusals.includes(reason), `refused for ${reason}`);
  await until(() => one.closed !== null, 'the connection has ended');
}

describeUcx('a peer over UCX is refused', () => {
  it('from a network that is not listed', async () => {
    await startPeer();
    const other = await Peer.start({ networks: ['10.0.0.0/8'] });
    const asking = ask(other.address);
    await until(() => other.recorder.refusals.includes('network'), 'refused');
    await until(() => asking.recorder.of('UcxUnavailable').length > 0, 'the other side knows');
    const answer = await asking.client.infer(requestOf(Buffer.from('by gRPC')), inSeconds(30));
    expect(answer.outputs[0]!.data.toString()).toBe('by gRPC');
    await asking.client.close();
    other.close();
  });

  it('with a token that was never issued', async () => {
    await startPeer();
    const one = stranger();
    one.send(encodeHeader(zeroKey, frameKinds.hello, 0, randomBytes(32)));
    await isRefused(one, 'token');
  });

  it('with a token that was shown before', async () => {
    await startPeer();
    const { token, key } = await invite();
    const first = stranger(key);
    first.send(encodeHeader(zeroKey, frameKinds.hello, 0, token));
    await until(() => first.kinds.includes(frameKinds.welcome), 'a welcome');
    const second = stranger(key);
    second.send(encodeHeader(zeroKey, frameKinds.hello, 0, token));
    await isRefused(second, 'token');
    expect(first.closed).toBeNull();
  });

  it('with a token that is too old', async () => {
    await startPeer({ tokenMs: 1_000 });
    const { token } = await invite();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const one = stranger();
    one.send(encodeHeader(zeroKey, frameKinds.hello, 0, token));
    await isRefused(one, 'token');
  });

  it('without a greeting in time', async () => {
    await startPeer({ greetingMs: 200 });
    await isRefused(stranger(), 'silent');
  });

  it.each([
    ['data', (one: Stranger) => one.send(encodeHeader(zeroKey, frameKinds.hello), Buffer.alloc(10))],
    [
      'much data',
      (one: Stranger) => one.send(encodeHeader(zeroKey, frameKinds.hello), Buffer.alloc(1_000_000)),
    ],
    [
      'a long header',
      (one: Stranger) => one.send(encodeHeader(zeroKey, frameKinds.hello, 0, Buffer.alloc(1_000))),
    ],
    ['no header', (one: Stranger) => one.send(Buffer.alloc(0))],
    ['a header that is cut short', (one: Stranger) => one.send(Buffer.alloc(20))],
  ])('with %s before it is known', async (_, speak) => {
    await startPeer();
    const one = stranger();
    speak(one);
    await isRefused(one, 'malformed');
  });

  it('that sends anything but a greeting at first', async () => {
    await startPeer();
    const one = stranger();
    one.send(encodeHeader(zeroKey, frameKinds.infer, 1, describeRequest(requestOf())));
    await isRefused(one, 'token');
  });

  it('that sends two greetings at once', async () => {
    await startPeer();
    const { token, key } = await invite();
    const one = stranger(key);
    one.send(encodeHeader(zeroKey, frameKinds.hello, 0, token));
    one.send(encodeHeader(zeroKey, frameKinds.hello, 0, token));
    await isRefused(one, 'malformed');
  });

  it('whose message lacks the key of its connection', async () => {
    await startPeer();
    const one = await admitted();
    one.send(encodeHeader(randomBytes(16), frameKinds.ping));
    await isRefused(one, 'malformed');
  });

  it.each([
    ['a kind that nobody knows', (key: Buffer) => encodeHeader(key, 77 as never)],
    ['a frame of the other direction', (key: Buffer) => encodeHeader(key, frameKinds.answer, 1)],
    ['a header that is cut short', (key: Buffer) => encodeHeader(key, frameKinds.ping).subarray(0, 30)],
    [
      'a description that can’t be read',
      (key: Buffer) => encodeHeader(key, frameKinds.infer, 1, randomBytes(40)),
    ],
    [
      'a time that remains that is none',
      (key: Buffer) => encodeHeader(key, frameKinds.infer, 1, describeRequest(requestOf()), NaN),
    ],
    [
      'more data described than sent',
      (key: Buffer) =>
        encodeHeader(key, frameKinds.infer, 1, describeRequest(requestOf(Buffer.alloc(9))), 1_000),
    ],
  ])('with %s', async (_, header) => {
    await startPeer();
    const one = await admitted();
    one.send(header(one.key));
    await isRefused(one, 'malformed');
  });

  it('that uses an id twice at once', async () => {
    await startPeer({ service: { ...echo, infer: () => new Promise(() => undefined) } });
    const one = await admitted();
    const header = encodeHeader(one.key, frameKinds.infer, 5, describeRequest(requestOf()), 60_000);
    one.send(header);
    one.send(header);
    await until(() => peer.recorder.refusals.includes('malformed'), 'refused');
    peer.close();
    peer = await Peer.start();
    await neighbour.client.close();
    neighbour = ask(peer.address);
    await until(() => neighbour.recorder.of('UcxOpened').length === 1, 'the neighbour is connected');
  });

  it.each([50_000, 5_000_000])('with a frame of %d bytes, more than it was told', async (bytes) => {
    await startPeer({ maxMessageBytes: 40_000 });
    const one = await admitted();
    const data = Buffer.alloc(bytes);
    one.send(encodeHeader(one.key, frameKinds.infer, 1, describeRequest(requestOf(data)), 1_000), data);
    await isRefused(one, 'too_large');
  });

  it('that doesn’t read its answers', async () => {
    await startPeer({ mostUnreadBytes: 10_000_000 });
    const one = await admitted();
    const data = Buffer.alloc(1_000_000, 1);
    // Twelve answers of a million bytes wait: ten may.
    for (let id = 1; id <= 12; id += 1) {
      one.send(encodeHeader(one.key, frameKinds.infer, id, describeRequest(requestOf(data)), 60_000), data);
    }
    await isRefused(one, 'unread_answers');
  });

  it('that sends faster than anybody reads', async () => {
    await startPeer();
    const one = await admitted();
    const header = encodeHeader(one.key, frameKinds.ping, 0, Buffer.alloc(8_000));
    // 160 MB of headers, while this thread reads none: 64 MiB may wait.
    for (let i = 0; i < 20_000; i += 1) one.send(header);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    await isRefused(one, 'malformed');
  });

  it('that says nothing any more', async () => {
    await startPeer({ silenceMs: 400 });
    await isRefused(await admitted(), 'silent');
  });
});
