import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import { serveInferenceProtocol } from '#services/inference-worker/protocol/serve-inference-protocol';
import type { UnixMs } from '#schemas/brands';
import { startEngineProcess } from './engine-process';
import { echoConfig, echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';
import { openToAll } from '../support/open-to-all';
import { closedWithFile } from '../support/closed-with-file';

jest.setTimeout(60_000);

let repository: TestRepository;
beforeAll(() => {
  repository = makeRepository({ echo: echoConfig() });
});
afterAll(() => repository.remove());

function inSeconds(seconds: number): UnixMs {
  return (Date.now() + seconds * 1_000) as UnixMs;
}
function request(operation = 0, argument = 0) {
  return { model: 'echo', version: '', requestId: '', inputs: echoInputs([1], operation, argument) };
}

test('a killed engine loses its requests at once; one on the same socket is found again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-loss-'));
  const env = { ROUNDHOUSE_ENGINE_SOCKET: join(folder, 'engine.sock') };
  const first = await startEngineProcess(repository.folder, env);
  const failFast = connectEngine({ address: first.address });
  const patient = connectEngine({ address: first.address, waitForReady: true });
  const running = failFast.infer(request(operations.sleep, 600_000), inSeconds(600));
  const lost = expect(running).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  // Answered after the request came, on the same connection.
  expect(await failFast.isReady()).toBe(true);
  first.child.kill('SIGKILL');
  await lost;
  await expect(failFast.infer(request(), inSeconds(5))).rejects.toMatchObject({ code: 'ENGINE_LOST' });

  // The dead engine's socket file is still there; the next one takes it over, and a client that waits gets through.
  const waiting = patient.infer(request(), inSeconds(20));
  const second = await startEngineProcess(repository.folder, env);
  expect(await waiting).toMatchObject({ version: '1' });
  expect(await patient.isReady()).toBe(true);
  await failFast.close();
  await patient.close();
  expect(await second.stop()).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

test('a peer that accepts and never speaks is left at the deadline', async () => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  };
  closedWithFile(mute, close);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const client = connectEngine({ address, controlTimeoutMs: 200 });
  await expect(client.infer(request(), inSeconds(0.2))).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(await client.isLive()).toBe(false);
  await client.close();
  close();
});

test('a stopping engine finishes what runs and refuses nothing that it took', async () => {
  const engine = await startEngineProcess(repository.folder);
  const client = connectEngine({ address: engine.address });
  const running = client.infer(request(operations.sleep, 300), inSeconds(10));
  expect(await client.isReady()).toBe(true);
  const stopped = engine.stop();
  expect(await running).toMatchObject({ version: '1' });
  expect(await stopped).toBe(0);
  await client.close();
});

test('the TCP side answers UNAVAILABLE while there is no engine, and serves the next one', async () => {
  let address: string | null = null;
  const tcp = await serveInferenceProtocol({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => address,
  });
  const client = connectEngine({ address: `127.0.0.1:${tcp.port}` });
  await expect(client.infer(request(), inSeconds(5))).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  for (let i = 0; i < 2; i += 1) {
    const engine = await startEngineProcess(repository.folder);
    address = engine.address;
    expect(await client.infer(request(), inSeconds(5))).toMatchObject({ version: '1' });
    address = null;
    await engine.stop();
    expect(await client.isLive()).toBe(false);
  }
  const taken = serveInferenceProtocol({
    ...openToAll,
    bind: '127.0.0.1',
    port: tcp.port,
    engineAddress: '',
  });
  await expect(taken).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  await client.close();
  await tcp.close();
});
