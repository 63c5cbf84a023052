import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { encodeInferRequest } from '#lib/engine-client/infer-messages';
import { asIs } from '#lib/opaque-method';
import { serveKserveHttp, type KserveHttp } from '#services/inference-worker/protocol/http/serve-kserve-http';
import {
  serveInferenceProtocol,
  type InferenceProtocol,
} from '#services/inference-worker/protocol/serve-inference-protocol';
import { AdmissionView, Releases } from './engine-admission';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';
import { openToAll } from '../support/open-to-all';

jest.setTimeout(60_000);

/** One instance that takes one request at a time, and no queue: while it is held, every other one is refused. */
const config = `backend: "echo" max_batch_size: 1
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;
const minute = 60_000;
let repository: TestRepository;
let engine: RunningEngine;
let grpc: InferenceProtocol;
let http: KserveHttp;
let own: Client;
let outside: Client;
let held: Promise<unknown>;
const releases = new Releases();

function message(control: number[] = []) {
  const inputs = echoInputs([1], ...control);
  return encodeInferRequest({ model: 'echo', version: '', id: 'r', tensors: inputs });
}

/** A client that knows nothing of ours. */
function infer(client: Client, bytes: Buffer, deadline: number): Promise<ServiceError | null> {
  const path = '/inference.GRPCInferenceService/ModelInfer';
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, bytes, new Metadata(), { deadline }, resolve);
  });
}

beforeAll(async () => {
  repository = makeRepository({ echo: config });
  engine = await startEngineProcess(repository.folder, {
    ROUNDHOUSE_ENGINE_MAX_QUEUED: '0',
    ECHO_RELEASES: releases.folder,
  });
  const options = { bind: '127.0.0.1', port: 0, engineAddress: () => engine.address, whyDown: () => null };
  grpc = await serveInferenceProtocol({ ...openToAll, ...options, atOnce: { calls: 1, bytes: 1_000_000 } });
  http = await serveKserveHttp({ ...openToAll, ...options, maxBodyBytes: 10_000 });
  own = new Client(engine.address, credentials.createInsecure());
  outside = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure());
  const name = releases.next();
  held = infer(own, message([operations.hold, name]), Date.now() + minute);
  const admission = new AdmissionView(engine.address);
  await admission.until(1, 0);
  admission.close();
});
afterAll(async () => {
  releases.release(1);
  expect(await held).toBeNull();
  own.close();
  outside.close();
  await Promise.all([grpc.close(), http.close()]);
  await engine.stop();
  repository.remove();
  releases.remove();
});

function expectRemaining(text: unknown, most: number): void {
  expect(text).toMatch(/^\d+$/);
  expect(Number(text)).toBeGreaterThan(0);
  expect(Number(text)).toBeLessThanOrEqual(most);
}

test.each([
  ["the engine's socket", () => own],
  ["the worker's port", () => outside],
])('over gRPC at %s a refusal has the milliseconds to its deadline in a trailer', async (_name, client) => {
  const error = (await infer(client(), message(), Date.now() + minute))!;
  expect(error.metadata.get('rh-error-code')).toEqual(['ENGINE_BUSY']);
  expect(error.details).toMatch(/^the queue is full with 0 requests; \d+ ms remain to its deadline$/);
  expectRemaining(error.metadata.get('rh-remaining-ms')[0], minute);
});

test('without a deadline there is no such trailer', async () => {
  const error = (await infer(outside, message(), Infinity))!;
  expect(error.details).toBe('the queue is full with 0 requests; it has no deadline');
  expect(error.metadata.get('rh-remaining-ms')).toEqual([]);
});

test("over HTTP it is a header, by the request's own timeout (µs) or the five minutes that a request has", async () => {
  const ask = async (parameters = {}) => {
    const inputs = [
      { name: 'data', datatype: 'INT32', shape: [1, 1], data: [1] },
      { name: 'control', datatype: 'INT32', shape: [1, 2], data: [0, 0] },
    ];
    const body = JSON.stringify({ inputs, parameters });
    return fetch(`http://127.0.0.1:${http.port}/v2/models/echo/infer`, { method: 'POST', body });
  };
  const refused = await ask({ timeout: 20_000_000 });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expectRemaining(refused.headers.get('rh-remaining-ms'), 20_000);
  expectRemaining((await ask()).headers.get('rh-remaining-ms'), 300_000);
});

test("a stream counts among the calls of the worker's port, and the next call's refusal has the time, too", async () => {
  const path = '/grpc.health.v1.Health/Watch';
  const watch = outside.makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0), new Metadata(), {});
  watch.on('error', () => undefined);
  await new Promise((resolve) => watch.once('data', resolve));
  const error = (await infer(outside, message(), Date.now() + minute))!;
  expect(error.details).toBe('1 calls are under way, the limit');
  expect(error.metadata.get('rh-error-code')).toEqual(['ENGINE_BUSY']);
  expectRemaining(error.metadata.get('rh-remaining-ms')[0], minute);
  // A second stream is refused as well.
  const second = outside.makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0), new Metadata(), {});
  const refusal = await new Promise<ServiceError>((resolve) => second.once('error', resolve));
  expect(refusal.details).toBe('1 calls are under way, the limit');
  const over = new Promise((resolve) => watch.once('status', resolve));
  watch.cancel();
  await over;
  // The port hears of it a little later than the caller: then the engine's own refusal comes through.
  for (;;) {
    const { details } = (await infer(outside, message(), Date.now() + minute))!;
    if (details.startsWith('the queue is full')) break;
    expect(details).toBe('1 calls are under way, the limit');
  }
});
