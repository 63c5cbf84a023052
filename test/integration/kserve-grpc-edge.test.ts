import { connect } from 'node:net';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { connectEngine } from '#lib/engine-client/grpc';
import { asIs } from '#lib/opaque-method';
import type { UnixMs } from '#schemas/brands';
import {
  serveInferenceProtocol,
  type InferenceProtocol,
} from '#services/inference-worker/protocol/serve-inference-protocol';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(60_000);

let repository: TestRepository;
let engine: RunningEngine;
let edge: InferenceProtocol;
let address: string | null;
let why: string | null = null;

beforeAll(async () => {
  repository = makeRepository({ echo: echoConfig() });
  engine = await startEngineProcess(repository.folder);
  address = engine.address;
  edge = await serveInferenceProtocol({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => address,
    whyDown: () => why,
    maxMessageBytes: 1_000_000,
  });
});
afterAll(async () => {
  await edge.close();
  await engine.stop();
  repository.remove();
});

const soon = (ms = 20_000): UnixMs => (Date.now() + ms) as UnixMs;
const client = () => connectEngine({ address: `127.0.0.1:${edge.port}`, maxMessageBytes: 10_000_000 });
const request = (inputs = echoInputs([1, 2])) => ({ model: 'echo', version: '', requestId: '', inputs });

test('a message above the limit is refused, and the next one passes', async () => {
  const caller = client();
  const big = caller.infer(request(echoInputs(new Array(300_000).fill(1) as number[])), soon());
  await expect(big).rejects.toMatchObject({
    code: 'PAYLOAD_INVALID',
    cause: { code: status.RESOURCE_EXHAUSTED },
  });
  expect((await caller.infer(request(), soon())).outputs).toHaveLength(2);
  await caller.close();
});

test('more calls than the bound are refused as ENGINE_BUSY, and pass when the others have ended', async () => {
  const atOnce = { calls: 2, bytes: 1_000_000 };
  const small = await serveInferenceProtocol({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => address,
    atOnce,
  });
  const caller = connectEngine({ address: `127.0.0.1:${small.port}` });
  const giveUp = new AbortController();
  const sleeping = () => request(echoInputs([1], operations.sleep, 600_000));
  const held = Array.from({ length: 2 }, () => caller.infer(sleeping(), soon(60_000), giveUp.signal));
  const ends = Promise.allSettled(held);
  // One connection: what is sent after the two comes after them.
  await expect(caller.infer(request(), soon())).rejects.toMatchObject({
    code: 'ENGINE_BUSY',
    message: '2 calls are under way, the limit',
  });
  giveUp.abort();
  await ends;
  // The edge hears of it a little later than the caller.
  let outputs: readonly unknown[] = [];
  for (const end = soon(); outputs.length === 0 && Date.now() < end;) {
    outputs = await caller.infer(request(), soon()).then(
      (answer) => answer.outputs,
      () => [],
    );
  }
  expect(outputs).toHaveLength(2);
  await caller.close();
  await small.close();
});

test('a deadline goes along to the engine', async () => {
  const caller = client();
  const late = caller.infer(request(echoInputs([1], operations.sleep, 600_000)), soon(300));
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await caller.close();
});

test('without an engine, and when it is lost, a call is ENGINE_LOST with the reason', async () => {
  const caller = client();
  const second = await startEngineProcess(repository.folder);
  address = second.address;
  await caller.infer(request(), soon());
  const held = caller.infer(request(echoInputs([1], operations.sleep, 600_000)), soon());
  const lost = expect(held).rejects.toMatchObject({
    code: 'ENGINE_LOST',
    message: expect.stringMatching(/the engine was lost/) as string,
  });
  setTimeout(() => second.child.kill('SIGKILL'), 200);
  await lost;
  address = null;
  why = 'the engine ended (SIGKILL)';
  await expect(caller.infer(request(), soon())).rejects.toMatchObject({
    code: 'ENGINE_LOST',
    message: 'no engine serves now: the engine ended (SIGKILL)',
  });
  address = engine.address;
  why = null;
  expect((await caller.infer(request(), soon())).outputs).toHaveLength(2);
  await second.stop();
  await caller.close();
});

test('connections that say nothing, or nonsense, keep nobody else out', async () => {
  const sockets = Array.from({ length: 200 }, (_, i) => {
    const socket = connect(edge.port, '127.0.0.1', () => {
      if (i % 2 === 0) socket.write('GET / HTTP/1.1\r\n\r\n');
    });
    return socket.on('error', () => undefined);
  });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  const caller = client();
  expect((await caller.infer(request(), soon())).outputs).toHaveLength(2);
  for (const socket of sockets) socket.destroy();
  await caller.close();
});

/** Follows the engine's health on a connection of its own. */
function watch(caller: Client, onData: (cancel: () => void) => void): Promise<number> {
  const path = '/grpc.health.v1.Health/Watch';
  const call = caller.makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0), new Metadata(), {});
  call.on('data', () => onData(() => call.cancel()));
  call.on('error', () => undefined);
  return new Promise((resolve) => call.once('status', ({ code }) => resolve(code)));
}

test("cancelled calls by the thousand end nobody else's", async () => {
  const raw = () => {
    const options = { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_retries': 0 };
    return new Client(`127.0.0.1:${edge.port}`, credentials.createInsecure(), options);
  };
  const other = raw();
  let end: number | undefined;
  let stop = (): void => undefined;
  const followed = new Promise<void>((resolve) => {
    const ended = watch(other, (cancel) => {
      stop = cancel;
      resolve();
    });
    void ended.then((code) => (end = code));
  });
  await followed;
  const caller = client();
  // 4 connections of 800: below what the port bears of one, and three times what the engine's does.
  for (let i = 0; i < 4; i++) {
    const hostile = raw();
    for (let j = 0; j < 800; j += 100) {
      const codes = await Promise.all(
        Array.from({ length: 100 }, () => watch(hostile, (cancel) => cancel())),
      );
      expect(codes).toEqual(new Array(100).fill(status.CANCELLED));
    }
    hostile.close();
    expect((await caller.infer(request(), soon())).outputs).toHaveLength(2);
  }
  expect(end).toBeUndefined();
  stop();
  await caller.close();
  other.close();
});
