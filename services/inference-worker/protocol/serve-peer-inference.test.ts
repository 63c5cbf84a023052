import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { connectEngine, type GrpcEngine } from '#lib/engine-client/grpc';
import { encodeInferRequest, type WireTensor } from '#lib/engine-client/infer-messages';
import { notesOf, peerMetadata } from '#lib/engine-client/peer-notes';
import type { InferRequest } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { HandedOver, LateHere, NoEngineInTime, UnfitHere } from '../placement/placement';
import { PeerRequests } from '../remote/peer-requests';
import { asRefusedThere } from '../remote/refused-there';
import type { ServedAnswer } from '../remote/ucx/peer-service';
import { serveInferenceProtocol, type InferenceProtocol } from './serve-inference-protocol';
import { openToAll } from '../../../test/support/open-to-all';

type Infer = (request: InferRequest, until: UnixMs, signal: AbortSignal) => Promise<ServedAnswer>;

let infer: Infer;
let peers: PeerRequests;
let protocol: InferenceProtocol;
let peer: GrpcEngine;
let raw: Client;

beforeEach(async () => {
  peers = new PeerRequests({ infer: (...call) => infer(...call), load: () => ({ waiting: 7 }) });
  const none = { engineAddress: () => null, whyDown: () => 'there is none', maxMessageBytes: 4_096 };
  protocol = await serveInferenceProtocol({ ...openToAll, bind: '127.0.0.1', port: 0, peers, ...none });
  peer = connectEngine({ address: `127.0.0.1:${protocol.port}`, asPeer: true });
  raw = new Client(`127.0.0.1:${protocol.port}`, credentials.createInsecure());
});
afterEach(async () => {
  raw.close();
  await peer.close();
  await protocol.close();
});

const input = { name: 'a', datatype: 'UINT8' as const, shape: [3], data: Buffer.from('abc') };
const request: InferRequest = {
  model: 'm',
  version: '2',
  requestId: 'r',
  inputs: [input],
  size: 12,
  parameters: { x: 1 },
};
const soon = (): UnixMs => (Date.now() + 10_000) as UnixMs;
const echo: Infer = ({ model, version, inputs: outputs }) =>
  Promise.resolve({ response: { model, version, outputs }, deviceKind: 'cpu' });

/** The bytes as they are, as a worker sends them. */
function send(bytes: Buffer, metadata: Metadata = peerMetadata(1)): Promise<ServiceError | null> {
  const same = (message: Buffer): Buffer => message;
  const path = '/inference.GRPCInferenceService/ModelInfer';
  return new Promise((resolve) =>
    raw.makeUnaryRequest(path, same, same, bytes, metadata, { deadline: soon() }, resolve),
  );
}

const tensors = (...all: Partial<WireTensor>[]): Buffer => {
  const base = { name: 'a', datatype: 'UINT8', shape: [3], data: Buffer.from('abc') };
  return encodeInferRequest({
    model: 'm',
    version: '',
    id: '',
    tensors: all.map((one) => ({ ...base, ...one })),
  });
};

test('a request as its worker sent it, and the answer with how busy this one is', async () => {
  let came: InferRequest | undefined;
  infer = (...call) => ((came = call[0]), echo(...call));
  const { outputs, notes } = await peer.infer(request, soon());
  expect(came).toMatchObject({ model: 'm', version: '2', requestId: 'r', size: 12, parameters: { x: 1n } });
  expect(outputs).toEqual([input]);
  expect(notes).toMatchObject({ deviceKind: 'cpu', load: { waiting: 7 } });
});

test('whoever is no worker is sent on to the engine', async () => {
  infer = echo;
  const error = await send(tensors({}), new Metadata());
  expect(error?.details).toMatch(/no engine serves now: there is none/);
});

test.each([
  ['no message', Buffer.from('nonsense'), /no ModelInferRequest/],
  [
    'a tensor without contents',
    Buffer.concat([tensors({}), Buffer.from([0x2a, 0])]),
    /1 contents for 2 inputs/,
  ],
  [
    'shared memory',
    tensors({ region: { region: 'r', byteSize: 3, offset: 0 }, data: Buffer.alloc(0) }),
    /contents for 1 inputs|no shared memory/,
  ],
])('%s is refused', async (_name, bytes, expected) => {
  infer = echo;
  const error = await send(bytes);
  expect(error?.details).toMatch(expected);
  expect(error?.metadata.get('rh-error-code')).toEqual(['PAYLOAD_INVALID']);
});

test.each([new LateHere(), new UnfitHere('too large'), new NoEngineInTime('none'), new HandedOver()])(
  'what cost nothing here is told as that: %s',
  async (refusal) => {
    infer = () => Promise.reject(refusal);
    const error = await peer.infer(request, soon()).catch((each: RoundhouseError) => each);
    expect(asRefusedThere(error as RoundhouseError)).toBeInstanceOf(refusal.constructor);
    const { metadata } = (error as RoundhouseError).cause as ServiceError;
    expect(notesOf(metadata)?.load).toEqual({ waiting: 7 });
  },
);

test('other failures keep their code', async () => {
  infer = () => Promise.reject(new RoundhouseError('DEVICE_FAULT', 'broken'));
  await expect(peer.infer(request, soon())).rejects.toMatchObject({ code: 'DEVICE_FAULT' });
  infer = () => Promise.reject(new TypeError('ours'));
  await expect(peer.infer(request, soon())).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('a worker that gives it up cancels it here', async () => {
  const abort = new AbortController();
  const cancelled = new Promise<void>((resolve) => {
    infer = (_request, _until, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => (resolve(), reject(signal.reason)));
        abort.abort();
      });
  });
  await expect(peer.infer(request, soon(), abort.signal)).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
  });
  await cancelled;
});

test('at a stop, what is under way is answered and what is new is told that nobody is here', async () => {
  let answer: () => void = () => undefined;
  let running: Promise<unknown>;
  await new Promise<void>((came) => {
    infer = (...call) => new Promise((resolve) => ((answer = () => resolve(echo(...call))), came()));
    running = peer.infer(request, soon());
  });
  const left = peers.leave(10_000);
  const error = await peer.infer(request, soon()).catch((each: RoundhouseError) => each);
  expect(asRefusedThere(error as RoundhouseError)).toBeInstanceOf(NoEngineInTime);
  answer();
  await left;
  await expect(running!).resolves.toMatchObject({ model: 'm' });
});
