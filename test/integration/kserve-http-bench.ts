import { connect } from 'node:net';
import { serveKserveHttp } from '#services/inference-worker/protocol/http/serve-kserve-http';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';
import { faultEnv } from './fault-models';
import { openToAll } from '../support/open-to-all';

/** Inputs and outputs of every kind, passed through. */
const kinds = ['INT64', 'UINT64', 'FP32', 'FP64', 'BOOL', 'UINT8'];
const tensors = (prefix: string) =>
  kinds.map(
    (kind) =>
      `{ name: "${prefix}_${kind}" data_type: TYPE_${kind} dims: [ -1 ] ${prefix === 'in' ? 'optional: true' : ''} }`,
  );
const mirrorConfig = `backend: "fault_injection"
input [ ${tensors('in').join(',')} ]
output [ ${tensors('out').join(',')}, { name: "PARAMETERS" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** KServe over HTTP with small limits, in this process, before an engine with the models `echo` and `mirror`. */
export interface KserveHttpBench {
  readonly port: number;
  readonly engine: RunningEngine;
  readonly repository: TestRepository;
  /** What the server believes of the engine; tests take it away. */
  address: string | null;
  /** Faults of ours; there must be none. */
  readonly faults: Error[];
  send(path: string, init?: RequestInit): Promise<Reply>;
  post(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Reply>;
  infer(model: string, body: unknown): Promise<Reply>;
  /** What comes back until the other side ends the connection, or `enough` is in it. */
  raw(text: string, enough?: RegExp): Promise<string>;
  stop(): Promise<void>;
}

export async function startKserveHttp(): Promise<KserveHttpBench> {
  const repository = makeRepository({ echo: echoConfig(), mirror: mirrorConfig });
  const engine = await startEngineProcess(repository.folder, faultEnv);
  const faults: Error[] = [];
  const http = await serveKserveHttp({
    ...openToAll,
    bind: '127.0.0.1',
    port: 0,
    engineAddress: () => bench.address,
    whyDown: () => (bench.address === null ? 'the engine ended (SIGKILL)' : null),
    maxBodyBytes: 100_000,
    bodyTimeoutMs: 500,
    controlTimeoutMs: 5_000,
    workTimeoutMs: 20_000,
    onFault: (error) => faults.push(error),
  });
  const stop = async (): Promise<void> => {
    await http.close();
    await engine.stop();
    repository.remove();
  };
  const { port } = http;
  const bench: KserveHttpBench = {
    ...{ port, engine, repository, address: engine.address, faults, stop },
    ...callsTo(port),
  };
  return bench;
}

function callsTo(port: number): Pick<KserveHttpBench, 'send' | 'post' | 'infer' | 'raw'> {
  const send = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, text: bytes.toString(), headers: response.headers, bytes };
  };
  const post: KserveHttpBench['post'] = (path, body, headers = {}) =>
    send(path, { method: 'POST', body: typeof body === 'string' ? body : new Uint8Array(body), headers });
  return {
    send,
    post,
    infer: (model, body) =>
      post(`/v2/models/${model}/infer`, typeof body === 'string' ? body : JSON.stringify(body)),
    raw: (text, enough) => rawCall(port, text, enough),
  };
}

function rawCall(port: number, text: string, enough?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let seen = '';
    const done = (): void => {
      socket.destroy();
      resolve(seen);
    };
    socket.on('data', (bytes) => {
      seen += bytes.toString();
      if (enough?.test(seen)) done();
    });
    socket.on('close', done);
    socket.on('error', reject);
  });
}

/** For the model `echo`: 1 + 2 + 39 = 42. */
export const data = { name: 'data', datatype: 'INT32', shape: [1, 3], data: [1, 2, 39] };
export const control = { name: 'control', datatype: 'INT32', shape: [1, 2], data: [0, 0] };
