import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { connectEngine } from '#lib/engine-client/grpc';
import { loadProtocol } from '#lib/engine-client/protocol';
import {
  serveInferenceProtocol,
  type InferenceProtocol,
} from '#services/inference-worker/protocol/serve-inference-protocol';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(60_000);

const { Check, Watch } = loadProtocol().health;
let repository: TestRepository;
let engine: RunningEngine;
let tcp: InferenceProtocol;

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  engine = await startEngineProcess(repository.folder);
  tcp = await serveInferenceProtocol({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: engine.address,
  });
});
afterAll(async () => {
  await tcp.close();
  await engine.stop();
  repository.remove();
});

function check(client: Client, service: string): Promise<unknown> {
  const { path, requestSerialize, responseDeserialize } = Check!;
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { service },
      new Metadata(),
      {},
      (error, answer) => (error === null ? resolve(answer) : reject(error)),
    ),
  );
}

/** Statuses as they come; `next` waits for one more. */
function watch(client: Client, service: string) {
  const { path, requestSerialize, responseDeserialize } = Watch!;
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service });
  call.on('error', () => undefined);
  const statuses = call[Symbol.asyncIterator]() as AsyncIterator<{ status: string }>;
  return { next: async () => (await statuses.next()).value?.status, cancel: () => call.cancel() };
}

test.each(['unix', 'tcp'])('grpc.health.v1 over %s', async (kind) => {
  const address = kind === 'unix' ? engine.address : `127.0.0.1:${tcp.port}`;
  const client = new Client(address, credentials.createInsecure());
  const repositoryClient = connectEngine({ address });
  expect(await check(client, '')).toEqual({ status: 'SERVING' });
  expect(await check(client, 'inference.GRPCInferenceService')).toEqual({ status: 'SERVING' });
  await expect(check(client, 'nobody')).rejects.toMatchObject({ code: status.NOT_FOUND });

  const watched = watch(client, '');
  expect(await watched.next()).toBe('SERVING');
  await repositoryClient.unloadModel('echo');
  expect(await watched.next()).toBe('NOT_SERVING');
  await repositoryClient.loadModel('echo');
  expect(await watched.next()).toBe('SERVING');
  watched.cancel();
  const unknown = watch(client, 'nobody');
  expect(await unknown.next()).toBe('SERVICE_UNKNOWN');
  unknown.cancel();
  await repositoryClient.close();
  client.close();
});

test.each([99, 100])(
  'text with an emoji at character %i of a message does not end the engine',
  async (at) => {
    const client = new Client(engine.address, credentials.createInsecure());
    const repositoryClient = connectEngine({ address: engine.address });
    const name = `${'a'.repeat(at)}😀`;
    const shown = at === 99 ? 'a'.repeat(99) : 'a'.repeat(100);
    await expect(check(client, name)).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: `no service "${shown}…"`,
    });
    await expect(repositoryClient.loadModel(name)).rejects.toMatchObject({
      message: `no model "${shown}…" in the repository`,
    });
    expect(await repositoryClient.isModelReady(name)).toBe(false);
    expect(await check(client, '')).toEqual({ status: 'SERVING' });
    await repositoryClient.close();
    client.close();
  },
);

test('a stop does not wait for watchers', async () => {
  const other = await startEngineProcess(repository.folder);
  const client = new Client(other.address, credentials.createInsecure());
  const watched = watch(client, '');
  expect(await watched.next()).toBe('SERVING');
  const stopped = other.stop();
  expect(await watched.next()).toBeUndefined();
  client.close();
  expect(await stopped).toBe(0);
});
