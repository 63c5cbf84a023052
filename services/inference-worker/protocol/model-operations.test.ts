import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Server, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { encodeRepositoryModel } from '#lib/engine-client/control-messages';
import { connectEngine } from '#lib/engine-client/grpc';
import { loadProtocol } from '#lib/engine-client/protocol';
import { bindServer } from '#lib/grpc-bind';
import { asIs } from '#lib/opaque-method';
import { WantedModels, type ModelOperation } from '../sentinel/wanted-models';
import { serveKserveHttp, type KserveHttp } from './http/serve-kserve-http';
import { serveInferenceProtocol, type InferenceProtocol } from './serve-inference-protocol';
import { openToAll } from '../../../test/support/open-to-all';

interface HeldLoad {
  readonly model: string;
  answer(): void;
}

/** What stands for an engine: it takes loads, and answers each when it is told to. */
class LoadingEngine {
  readonly server = new Server();
  private readonly held: HeldLoad[] = [];
  private came: () => void = () => undefined;

  constructor(readonly address: string) {
    const load = (
      { request }: ServerUnaryCall<{ model_name: string }, object>,
      send: sendUnaryData<object>,
    ) => {
      this.held.push({ model: request.model_name, answer: () => send(null, {}) });
      this.came();
    };
    this.server.addService(loadProtocol().inference, { RepositoryModelLoad: load });
  }

  async listen(): Promise<void> {
    await bindServer(this.server, this.address);
  }

  async nextLoad(): Promise<HeldLoad> {
    while (this.held.length === 0) await new Promise<void>((resolve) => (this.came = resolve));
    return this.held.shift()!;
  }
}

let folder: string;
let engines: LoadingEngine[];
let active: LoadingEngine | null;
let noted: ModelOperation[];
let models: WantedModels;
let nextNote: Promise<void>;
let grpc: InferenceProtocol;
let http: KserveHttp;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-operations-'));
  engines = [1, 2].map((i) => new LoadingEngine(`unix:${join(folder, `${i}.sock`)}`));
  for (const engine of engines) await engine.listen();
  active = engines[0]!;
  noted = [];
  models = new WantedModels();
  nextNote = new Promise((resolve) => models.onNoted((operation) => resolve(void noted.push(operation))));
  const options = {
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => active?.address ?? null,
    whyDown: () => (active === null ? 'it was killed' : null),
    models,
  };
  grpc = await serveInferenceProtocol({ ...openToAll, ...options });
  http = await serveKserveHttp({ ...openToAll, ...options, maxBodyBytes: 1_024, maxConnections: 2 });
});
afterEach(async () => {
  await Promise.all([grpc.close(), http.close()]);
  for (const { server } of engines) server.forceShutdown();
  rmSync(folder, { recursive: true });
});

const overGrpc = () => connectEngine({ address: `127.0.0.1:${grpc.port}` });
const overHttp = (request: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${http.port}/v2/repository/models/m/load`, { method: 'POST', ...request });

test('a load whose caller over gRPC gives it up is noted when the engine has done it', async () => {
  const caller = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure());
  const path = loadProtocol().inference['RepositoryModelLoad']!.path;
  let ended: (code: number | undefined) => void;
  const end = new Promise<number | undefined>((resolve) => (ended = resolve));
  const call = caller.makeUnaryRequest(path, asIs, asIs, encodeRepositoryModel('m'), (error) =>
    ended(error?.code),
  );
  const load = await engines[0]!.nextLoad();
  call.cancel();
  expect(await end).toBe(status.CANCELLED);
  load.answer();
  await nextNote;
  expect(noted).toEqual([{ kind: 'load', model: 'm' }]);
  caller.close();
});

test('a load whose caller over HTTP hangs up is noted when the engine has done it', async () => {
  const hangUp = new AbortController();
  const given = expect(overHttp({ signal: hangUp.signal })).rejects.toThrow(/abort/);
  const load = await engines[0]!.nextLoad();
  hangUp.abort();
  await given;
  load.answer();
  await nextNote;
  expect(noted).toEqual([{ kind: 'load', model: 'm' }]);
});

test('a load that an engine has done which was replaced meanwhile is lost, and not noted', async () => {
  const caller = overGrpc();
  const [first, second] = [caller.loadModel('m'), overHttp()];
  const refused = expect(first).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  const loads = [await engines[0]!.nextLoad(), await engines[0]!.nextLoad()];
  active = engines[1]!;
  for (const { answer } of loads) answer();
  await refused;
  expect((await second).status).toBe(503);
  expect(noted).toEqual([]);
  const again = caller.loadModel('m');
  (await engines[1]!.nextLoad()).answer();
  await again;
  expect(noted).toEqual([{ kind: 'load', model: 'm' }]);
  await caller.close();
});

test('a load that could not be noted is answered, over gRPC and HTTP, with what hindered it', async () => {
  models.onNoted(() => Promise.reject(new Error('the standby broke')));
  const caller = overGrpc();
  const [first, second] = [caller.loadModel('m'), overHttp()];
  const refused = expect(first).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('the standby broke'),
  });
  const loads = [await engines[0]!.nextLoad(), await engines[0]!.nextLoad()];
  for (const { answer } of loads) answer();
  await refused;
  expect((await second).status).toBe(500);
  await caller.close();
});

test('a connection that does not wait for its answers has no more under way than there may be connections', async () => {
  const socket = connect(http.port, '127.0.0.1');
  const post = 'POST /v2/repository/models/m/load HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n';
  socket.write(post.repeat(5));
  const loads = [await engines[0]!.nextLoad(), await engines[0]!.nextLoad()];
  for (const { answer } of loads) answer();
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
  while (statuses().length < 5) await new Promise((resolve) => socket.once('data', resolve));
  // Two reached the engine, three were refused; answers come in the order of the requests.
  expect(statuses()).toEqual(['200', '200', '503', '503', '503']);
  socket.destroy();
});

test('a parameter that is no key of an object is refused, not left out', async () => {
  const refused = await overHttp({ body: '{"parameters":{"__proto__":true}}' });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    '{"error":"parameters[\\"__proto__\\"]: not supported"}',
  ]);
});
