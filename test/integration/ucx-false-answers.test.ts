import { randomBytes } from 'node:crypto';
import type { ConnectionListener, UcxConnection } from '#native/ucx/ucx-host';
import { decodeHeader, encodeHeader, frameKinds } from '#services/inference-worker/remote/ucx/frame-header';
import { until } from '../support/until';
import { ask, closeHosts, describeUcx, inSeconds, openHost, Peer, requestOf } from './ucx-harness';

const zeroKey: Buffer = Buffer.alloc(16);

afterEach(closeHosts);

describeUcx('an answer over UCX', () => {
  /** Another worker without manners: a host that answers whatever it likes. */
  async function liar(answer: (key: Buffer, id: number) => [Buffer, ...Buffer[]]) {
    const other = await Peer.start();
    let connection: UcxConnection;
    let key: Buffer | null = null;
    const { tokens } = other.side;
    other.breakUcx();
    const listener: ConnectionListener = {
      onOpen: (opened) => (connection = opened),
      onClosed: () => undefined,
      onMessage: ({ header, drop }) => {
        drop();
        const { kind, id, description } = decodeHeader(header);
        if (kind === frameKinds.hello) {
          key = tokens.take(description);
          connection.setKey(key!);
          connection.send(encodeHeader(key!, frameKinds.welcome)).catch(() => undefined);
        }
        if (kind !== frameKinds.infer) return;
        const [first, ...parts] = answer(key!, id);
        connection.send(first, parts).catch(() => undefined);
      },
    };
    const lying = openHost({ listen: { host: '127.0.0.1', port: 0 }, onRequest: () => listener });
    other.side = { ...other.side, port: lying.facts.port };
    const asking = ask(other.address);
    await until(() => asking.recorder.of('UcxOpened').length === 1, 'a connection');
    return { ...asking, close: () => asking.client.close().then(() => other.close()) };
  }

  it.each([
    [
      'can’t be read',
      (key: Buffer, id: number) => [encodeHeader(key, frameKinds.answer, id, randomBytes(30))],
    ],
    ['has an unknown kind', (key: Buffer, id: number) => [encodeHeader(key, 99 as never, id)]],
    [
      'is a failure without a code',
      (key: Buffer, id: number) => [encodeHeader(key, frameKinds.failure, id, Buffer.from('{}'))],
    ],
    ['lacks the key', (_: Buffer, id: number) => [encodeHeader(zeroKey, frameKinds.answer, id)]],
    [
      'comes with other data than it says',
      (key: Buffer, id: number) => [
        encodeHeader(key, frameKinds.answer, id, Buffer.alloc(8)),
        Buffer.alloc(77),
      ],
    ],
  ] as [string, (key: Buffer, id: number) => [Buffer, ...Buffer[]]][])(
    'that %s ends the connection, and gRPC answers',
    async (_, answer) => {
      const { client, recorder, close } = await liar(answer);
      const { outputs } = await client.infer(requestOf(Buffer.from('true')), inSeconds(30));
      expect(outputs[0]!.data.toString()).toBe('true');
      expect(recorder.of('UcxLost').length).toBeGreaterThan(0);
      await close();
    },
  );

  it('to no request is dropped', async () => {
    const description = (id: number): Buffer =>
      Buffer.from(JSON.stringify({ code: 'MODEL_FAILED', message: `no ${id}` }));
    const { client, recorder, close } = await liar((key, id) => [
      encodeHeader(key, frameKinds.failure, id, description(id)),
    ]);
    await expect(client.infer(requestOf(), inSeconds(30))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'no 1',
    });
    await expect(client.infer(requestOf(), inSeconds(30))).rejects.toMatchObject({ message: 'no 2' });
    expect(recorder.of('UcxLost')).toHaveLength(0);
    await close();
  });
});
