import { randomBytes } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { notesOf } from '#lib/engine-client/peer-notes';
import { HandedOver, LateHere } from '#services/inference-worker/placement/placement';
import { RoundhouseError } from '#schemas/errors';
import { until } from '../support/until';
import { ask, closeHosts, describeUcx, echo, inSeconds, Peer, requestOf, type Asking } from './ucx-harness';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  closeHosts();
});

async function startPeer(options: Parameters<typeof Peer.start>[0] = {}): Promise<Peer> {
  const peer = await Peer.start(options);
  open.push(() => peer.close());
  return peer;
}

async function connected(peer: Peer, options: Parameters<typeof ask>[1] = {}): Promise<Asking> {
  const asking = ask(peer.address, options);
  open.push(() => asking.client.close());
  await until(() => asking.recorder.of('UcxOpened').length > 0, 'a connection over UCX');
  return asking;
}

/** A service that keeps its requests until `release`. */
function holding() {
  const held: (() => void)[] = [];
  const aborted: string[] = [];
  const infer: typeof echo.infer = (request, deadline, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => aborted.push(request.requestId));
      held.push(() => resolve(echo.infer(request, deadline, signal)));
    });
  return { held, aborted, service: { ...echo, infer } };
}

describeUcx('requests over UCX', () => {
  // In the frame's event up to 16 KiB, eager up to 32 KiB, by rendezvous above.
  it.each([
    [],
    [0],
    [1],
    [16_384],
    [16_385],
    [32_768],
    [32_769],
    [1_048_576],
    [4_194_304],
    [1, 0, 70_000, 3],
    [5_000_000, 7],
  ])('of %s bytes come back as they went', async (...lengths: number[]) => {
    const { client, recorder } = await connected(await startPeer());
    const request = requestOf(...lengths.map((length) => randomBytes(length)));
    const { outputs, notes } = await client.infer(request, inSeconds(30));
    expect(outputs.map(({ data }) => Buffer.compare(data, Buffer.alloc(0)) >= 0 && data.byteLength)).toEqual(
      lengths,
    );
    outputs.forEach(({ data }, i) => expect(Buffer.compare(data, request.inputs[i]!.data)).toBe(0));
    expect(notes).toMatchObject({ deviceKind: 'cpu', load: { waiting: 3 } });
    expect(recorder.of('UcxSent')).toHaveLength(1);
    expect(recorder.of('UcxFellBack')).toHaveLength(0);
  });

  it('run side by side and are not mixed up', async () => {
    const { client, recorder } = await connected(await startPeer());
    const one = async (i: number): Promise<boolean> => {
      const data = Buffer.alloc(1 + ((i * 7_919) % 200_000), i);
      const { outputs } = await client.infer(requestOf(data), inSeconds(60));
      return Buffer.compare(outputs[0]!.data, data) === 0;
    };
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => one(i)));
    expect(answers.every((isSame) => isSame)).toBe(true);
    expect(recorder.of('UcxFellBack')).toHaveLength(0);
  });

  it('carry parameters and the size of the work', async () => {
    const seen: unknown[] = [];
    const infer: typeof echo.infer = (request, ...rest) => {
      seen.push(request.parameters, request.size);
      return echo.infer(request, ...rest);
    };
    const { client } = await connected(await startPeer({ service: { ...echo, infer } }));
    await client.infer(
      { ...requestOf(), size: 500, parameters: { priority: 1, share: 0.5, name: 'x' } },
      inSeconds(30),
    );
    expect(seen).toEqual([{ priority: 1n, share: 0.5, name: 'x' }, 500]);
  });

  it('bring the peer’s errors with their code, and what kind of refusal they are', async () => {
    const errors = [
      new RoundhouseError('ENGINE_BUSY', 'full', [], { remainingMs: 12 }),
      new LateHere(),
      new HandedOver(),
      new Error('a fault'),
    ];
    const service = { ...echo, infer: () => Promise.reject(errors.shift() as Error) };
    const { client } = await connected(await startPeer({ service }));
    const fail = () => client.infer(requestOf(), inSeconds(30)).catch((error: unknown) => error);
    const busy = (await fail()) as RoundhouseError;
    expect(busy).toMatchObject({ code: 'ENGINE_BUSY', message: 'full', remainingMs: 12 });
    expect(notesOf((busy.cause as { metadata: Metadata }).metadata)?.load).toEqual({ waiting: 3 });
    expect(await fail()).toBeInstanceOf(LateHere);
    expect(await fail()).toBeInstanceOf(HandedOver);
    expect(await fail()).toMatchObject({ code: 'INTERNAL', message: 'a fault' });
  });

  it('end at their deadline, there too', async () => {
    const { service, aborted } = holding();
    const { client } = await connected(await startPeer({ service }));
    const late = client.infer(requestOf(randomBytes(100_000)), inSeconds(0.3));
    await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await until(() => aborted.length === 1, 'the peer gave it up');
  });

  it('end when their caller gives them up, there too', async () => {
    const { service, held, aborted } = holding();
    const { client } = await connected(await startPeer({ service }));
    const abort = new AbortController();
    const given = client.infer(requestOf(), inSeconds(30), abort.signal);
    given.catch(() => undefined);
    await until(() => held.length === 1, 'the peer has it');
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await until(() => aborted.length === 1, 'the peer gave it up');
    const gone = client.infer(requestOf(), inSeconds(30), abort.signal);
    await expect(gone).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });

  it('are bounded in number: the next one is refused with the time that remains', async () => {
    const { service, held } = holding();
    const { client } = await connected(await startPeer({ service, atOnce: { calls: 2, bytes: 1_000_000 } }));
    const two = [client.infer(requestOf(), inSeconds(30)), client.infer(requestOf(), inSeconds(30))];
    await until(() => held.length === 2, 'the peer has two');
    const third = await client
      .infer(requestOf(), inSeconds(30))
      .catch((error: unknown) => error as RoundhouseError);
    expect(third).toMatchObject({ code: 'ENGINE_BUSY' });
    expect((third as RoundhouseError).remainingMs).toBeGreaterThan(0);
    held.forEach((release) => release());
    await Promise.all(two);
  });

  it('lie in the memory that the service lends', async () => {
    const lent: { memory: ArrayBuffer; released: number }[] = [];
    const lease = (bytes: number) => {
      const slot = { memory: new ArrayBuffer(bytes + 4_096), released: 0 };
      lent.push(slot);
      return { memory: slot.memory, release: () => (slot.released += 1) };
    };
    const places: ArrayBufferLike[] = [];
    const infer: typeof echo.infer = (request, ...rest) => {
      places.push(request.inputs[0]!.data.buffer);
      return echo.infer(request, ...rest);
    };
    const { client } = await connected(await startPeer({ service: { ...echo, lease, infer } }));
    await client.infer(requestOf(randomBytes(1_000_000)), inSeconds(30));
    expect(places).toEqual([lent[0]!.memory]);
    await until(() => lent[0]!.released === 1, 'the slot was given back');
  });
});

describeUcx('when UCX can’t carry a request, gRPC does', () => {
  it('before there is a connection', async () => {
    const peer = await startPeer();
    const { client, recorder } = ask(peer.address);
    open.push(() => client.close());
    const { outputs } = await client.infer(requestOf(Buffer.from('early')), inSeconds(30));
    expect(outputs[0]!.data.toString()).toBe('early');
    expect(recorder.of('UcxFellBack')).toMatchObject([{ reason: 'not_connected' }]);
  });

  it('with more bytes than the peer takes', async () => {
    const { client, recorder } = await connected(await startPeer({ maxMessageBytes: 100_000 }));
    const { outputs } = await client.infer(requestOf(randomBytes(100_001)), inSeconds(30));
    expect(outputs[0]!.data).toHaveLength(100_001);
    expect(recorder.of('UcxFellBack')).toMatchObject([{ reason: 'too_large' }]);
  });

  it('with a description longer than UCX’s headers', async () => {
    const { client, recorder } = await connected(await startPeer());
    await client.infer(requestOf(...Array.from({ length: 1_000 }, () => Buffer.alloc(1))), inSeconds(30));
    expect(recorder.of('UcxFellBack')).toMatchObject([{ reason: 'too_large' }]);
  });

  it('when the connection breaks under it: every request is answered, and UCX is used again', async () => {
    const { service, held } = holding();
    const peer = await startPeer({ service });
    const { client, recorder } = await connected(peer);
    const answers = Array.from({ length: 20 }, (_, i) =>
      client.infer(requestOf(Buffer.alloc(50_000, i)), inSeconds(60)),
    );
    await until(() => held.length === 20, 'the peer has all');
    peer.breakUcx();
    await until(() => held.length === 40, 'gRPC brought all again');
    held.forEach((release) => release());
    for (const [i, answer] of (await Promise.all(answers)).entries()) {
      expect(Buffer.compare(answer.outputs[0]!.data, Buffer.alloc(50_000, i))).toBe(0);
    }
    expect(recorder.of('UcxFellBack').map(({ reason }) => reason)).toEqual(Array(20).fill('lost_in_flight'));
    peer.openUcx();
    await until(() => recorder.of('UcxOpened').length === 2, 'UCX is back');
    const again = client.infer(requestOf(Buffer.from('again')), inSeconds(30));
    await until(() => held.length === 41, 'the peer has it');
    held[40]!();
    expect((await again).outputs[0]!.data.toString()).toBe('again');
    expect(recorder.of('UcxSent')).toHaveLength(21);
  });

  it('after a peer has said goodbye: what was under way is answered over UCX', async () => {
    const { service, held } = holding();
    const peer = await startPeer({ service });
    const { client, recorder } = await connected(peer);
    const early = client.infer(requestOf(Buffer.from('early')), inSeconds(30));
    await until(() => held.length === 1, 'the peer has it');
    const left = peer.server.leave(30_000);
    await until(async () => {
      void client.infer(requestOf(), inSeconds(30)).catch(() => undefined);
      return recorder.of('UcxFellBack').length > 0;
    }, 'new ones go over gRPC');
    held.forEach((release) => release());
    expect((await early).outputs[0]!.data.toString()).toBe('early');
    held.splice(0).forEach((release) => release());
    await until(
      () => (held.splice(0).forEach((release) => release()), peer.server.peers === 0),
      'the peer has left',
    );
    await left;
  });

  it('where the other worker has another UCX, another protocol, or no transport that we have', async () => {
    for (const [offer, words] of [
      [{ version: '1.13.1' }, 'UCX 1.13.1 here, 1.22.0 there'],
      [{ protocol: 9 }, 'protocol 9 here, 1 there'],
      [{ transports: ['rc_verbs/mlx5_0:1'] }, 'no transport in common: rc_verbs here, tcp there'],
    ] as const) {
      const peer = await startPeer({ offer });
      const { client, recorder } = ask(peer.address);
      open.push(() => client.close());
      await until(() => recorder.of('UcxUnavailable').length > 0, 'the refusal');
      expect(recorder.of('UcxUnavailable')[0]).toMatchObject({ reason: words, againInMs: 100 });
      expect(peer.recorder.refusals[0]).toBe('handshake');
      expect(
        (await client.infer(requestOf(Buffer.from('x')), inSeconds(30))).outputs[0]!.data.toString(),
      ).toBe('x');
    }
  });
});
