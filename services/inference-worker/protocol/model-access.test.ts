import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Client,
  credentials as channels,
  Metadata,
  Server,
  status,
  type sendUnaryData,
  type ServiceDefinition,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { newApiKey } from '#lib/access/api-key';
import { accessSettingsOf } from '#lib/access/access-settings';
import { Credentials } from '#lib/access/credentials';
import { AccessGate } from '#lib/access/gate';
import { modelScopes } from '#lib/access/scopes';
import type { AuditEntry } from '#lib/audit';
import { loadConfig } from '#lib/config';
import { loadProtocol } from '#lib/engine-client/protocol';
import { bindServer } from '#lib/grpc-bind';
import { asIs } from '#lib/opaque-method';
import { serveKserveHttp, type KserveHttp } from './http/serve-kserve-http';
import { accessOf } from './model-access';
import { serveInferenceProtocol, type InferenceProtocol } from './serve-inference-protocol';

type Kind = 'infer' | 'read' | 'admin' | 'producer';

const kinds: readonly Kind[] = ['infer', 'read', 'admin', 'producer'];
const keys = new Map(kinds.map((kind) => [kind, newApiKey(kind)]));
const scopeOf = (kind: Kind): string => (kind === 'producer' ? 'rounds:write' : `models:${kind}`);

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-model-access-'));
const engine = new Server();
const engineAddress = `unix:${join(folder, 'engine.sock')}`;
const audited: AuditEntry[] = [];
const audit = { record: (entry: AuditEntry) => void audited.push(entry), close: () => undefined };
/** What reached the engine, with what it was told of the caller's credential. */
const came: unknown[] = [];
/** A minute from one request to the next: refusals are told one by one. */
let now = Date.now();
let credentials: Credentials;
let grpc: InferenceProtocol;
let http: KserveHttp;
let client: Client;

function openGate(): AccessGate {
  const accessFile = join(folder, 'access.json');
  const entries = kinds.map((kind) => {
    const { sha256 } = keys.get(kind)!;
    return { id: kind, tenant: 'ml', scopes: [scopeOf(kind)], sha256 };
  });
  writeFileSync(accessFile, JSON.stringify({ keys: entries }));
  const config = loadConfig({ ROUNDHOUSE_WORKER_ACCESS_FILE: accessFile }, accessSettingsOf('WORKER'));
  const events = {
    AccessFileFollowed: () => undefined,
    AccessFileRefused: () => undefined,
    AccessRefused: () => undefined,
  };
  credentials = new Credentials('WORKER', config, events, audit);
  return new AccessGate({ credentials, events, audit, now: () => (now += 60_000) });
}

beforeAll(async () => {
  const answer = ({ metadata }: ServerUnaryCall<object, object>, send: sendUnaryData<object>) => {
    came.push(metadata.get('authorization'));
    send(null, { live: true, ready: true });
  };
  const { inference } = loadProtocol();
  engine.addService(inference, Object.fromEntries(Object.keys(inference).map((name) => [name, answer])));
  await bindServer(engine, engineAddress);
  const gate = openGate();
  const options = { bind: '127.0.0.1', port: 0, engineAddress: () => engineAddress, whyDown: () => null };
  grpc = await serveInferenceProtocol({ ...options, audit, gate });
  http = await serveKserveHttp({ ...options, audit, gate, maxBodyBytes: 1_024 });
  client = new Client(`127.0.0.1:${grpc.port}`, channels.createInsecure());
});
afterAll(async () => {
  client.close();
  await Promise.all([grpc.close(), http.close()]);
  credentials.close();
  engine.forceShutdown();
  rmSync(folder, { recursive: true });
});

function overGrpc(method: string, credential: string | null, message = Buffer.alloc(0)): Promise<number> {
  const metadata = new Metadata();
  if (credential !== null) metadata.set('authorization', `Bearer ${credential}`);
  const path = `/inference.GRPCInferenceService/${method}`;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, asIs, asIs, message, metadata, (error) =>
      resolve(error?.code ?? status.OK),
    );
  });
}

function overHttp(method: string, path: string, credential: string | null): Promise<Response> {
  const headers = credential === null ? {} : { authorization: `Bearer ${credential}` };
  return fetch(`http://127.0.0.1:${http.port}/v2${path}`, { method, headers });
}

const methods: readonly (readonly [string, Kind])[] = [
  ['ModelInfer', 'infer'],
  ['SystemSharedMemoryRegister', 'infer'],
  ['ModelMetadata', 'read'],
  ['RepositoryIndex', 'read'],
  ['RepositoryModelLoad', 'admin'],
  ['RepositoryModelUnload', 'admin'],
];

test.each(methods)('over gRPC %s is for the key of %s alone', async (method, allowed) => {
  const codes = await Promise.all(kinds.map((kind) => overGrpc(method, keys.get(kind)!.text)));
  expect(codes).toEqual(kinds.map((kind) => (kind === allowed ? status.OK : status.PERMISSION_DENIED)));
  expect(await overGrpc(method, null)).toBe(status.UNAUTHENTICATED);
  expect(await overGrpc(method, newApiKey(allowed).text)).toBe(status.UNAUTHENTICATED);
});

test.each<readonly [string, string, Kind]>([
  ['GET', '/models/m', 'read'],
  ['POST', '/repository/index', 'read'],
  ['GET', '/systemsharedmemory/status', 'infer'],
  ['POST', '/repository/models/m/load', 'admin'],
  ['POST', '/repository/models/m/unload', 'admin'],
])('over HTTP %s %s is for the key of %s alone', async (method, path, allowed) => {
  for (const kind of kinds) {
    const { status: code } = await overHttp(method, path, keys.get(kind)!.text);
    expect([kind, code === 403]).toEqual([kind, kind !== allowed]);
  }
  const nobody = await overHttp(method, path, null);
  expect(nobody.status).toBe(401);
  expect(nobody.headers.get('www-authenticate')).toContain('Bearer');
});

test('an inference without the scope is refused before its body is looked at', async () => {
  const body = '{"no": "inference"}';
  const ask = (kind: Kind): Promise<number> =>
    fetch(`http://127.0.0.1:${http.port}/v2/models/m/infer`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${keys.get(kind)!.text}` },
    }).then((response) => response.status);
  expect(await ask('read')).toBe(403);
  expect(await ask('infer')).toBe(400);
});

test('probes need no credential', async () => {
  expect(await overGrpc('ServerLive', null)).toBe(status.OK);
  expect(await overGrpc('ServerReady', null)).toBe(status.OK);
  expect((await overHttp('GET', '/health/live', null)).status).toBe(200);
  expect((await overHttp('GET', '/health/ready', null)).status).toBe(200);
});

test('a probe takes nothing of the room for bodies, which others need', async () => {
  const code = await new Promise((resolve, reject) => {
    const headers = { 'content-length': '1025' };
    const probe = request({ host: '127.0.0.1', port: http.port, path: '/v2/health/live', headers });
    probe.on('response', (response) => resolve((response.resume(), response.statusCode)));
    probe.on('error', reject);
    probe.end(Buffer.alloc(1_025)); // a byte more than any body may have
  });
  expect(code).toBe(200);
  const large = Buffer.alloc(4_097);
  expect(await overGrpc('ServerLive', null, large)).toBe(status.RESOURCE_EXHAUSTED);
});

test('the engine is told of no credential, the audit log of the key', async () => {
  audited.length = 0;
  expect(await overGrpc('RepositoryModelLoad', keys.get('admin')!.text)).toBe(status.OK);
  expect((await overHttp('POST', '/repository/models/m/unload', keys.get('admin')!.text)).status).toBe(200);
  expect(audited.map(({ action, actor, outcome }) => [action, actor, outcome])).toEqual([
    ['model.load', 'key:admin', 'done'],
    ['model.unload', 'key:admin', 'done'],
  ]);
  expect(await overGrpc('ServerLive', keys.get('read')!.text)).toBe(status.OK);
  expect(came.length).toBeGreaterThan(methods.length);
  expect(new Set(came.map((values) => JSON.stringify(values)))).toEqual(new Set(['[]']));
});

test('every method that is served has an access, and what nobody gave one is closed', () => {
  const services = Object.values(loadProtocol()) as ServiceDefinition[];
  const paths = services.flatMap((service) => Object.values(service).map(({ path }) => path));
  expect(paths.filter((path) => accessOf(path) === undefined)).toEqual([]);
  const given = new Set(paths.map(accessOf));
  expect(given).toEqual(new Set(['open', ...modelScopes]));
  expect(accessOf('/inference.GRPCInferenceService/Forgotten')).toBeUndefined();
  expect(accessOf('/toString')).toBeUndefined();
});
