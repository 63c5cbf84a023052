import { Buffer } from 'node:buffer';
import { shownText } from '#schemas/shown-text';
import type { EngineCalls } from './engine-calls';
import type { Json, JsonObject } from './exact-json';
import { HttpFault, invalid } from './http-fault';
import { parametersOf, stringOf } from './json-fields';
import type { Route, RouteName } from './route';

export interface ControlRequest {
  readonly route: Route;
  /** Empty for a GET. */
  readonly body: JsonObject;
  readonly calls: EngineCalls;
  readonly gone: AbortSignal;
}

/** undefined: 200 with nothing in it. */
type Answer = unknown;
type Control = (request: ControlRequest) => Promise<Answer>;

/** The protocol's absent messages and empty texts say nothing in JSON. */
function said(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== ''));
}

function withoutAbsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAbsent);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(parts.map(([key, part]) => [key, withoutAbsent(part)]));
}

async function requireTrue(answer: Promise<object>, field: string, otherwise: string): Promise<undefined> {
  const holds = ((await answer) as Record<string, unknown>)[field] === true;
  if (!holds) throw new HttpFault(503, otherwise);
}

/** A model that isn't ready, or none at all: the second is for the metadata to say. */
async function modelReady({ route, calls, gone }: ControlRequest): Promise<Answer> {
  const { subject: name, version } = route;
  const { ready } = await calls.ask<{ ready: boolean }>('ModelReady', { name, version }, gone);
  if (ready) return undefined;
  await calls.ask('ModelMetadata', { name, version }, gone);
  throw new HttpFault(503, `model "${shownText(name, 100)}" is not ready`);
}

function parameterOf(key: string, value: Json): object {
  const where = `parameters["${shownText(key, 100)}"]`;
  // As a key of an object it would be none, and nobody would refuse it.
  if (key === '__proto__') throw invalid(`${where}: not supported`);
  if (typeof value === 'boolean') return { bool_param: value };
  if (typeof value === 'bigint' || Number.isSafeInteger(value))
    return { int64_param: String(value as number) };
  const text = stringOf(value, where);
  if (!key.startsWith('file:')) return { string_param: text };
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, '')) {
    throw invalid(`${where}: no base64`);
  }
  return { bytes_param: bytes };
}

function repositoryRequest({ route, body }: ControlRequest): object {
  const parameters = [...parametersOf(body, '')].map(([key, value]) => [key, parameterOf(key, value)]);
  return { model_name: route.subject, parameters: Object.fromEntries(parameters) as object };
}

async function repositoryIndex({ body, calls, gone }: ControlRequest): Promise<Answer> {
  const ready = body.get('ready') ?? false;
  if (typeof ready !== 'boolean') throw invalid('ready: expected true or false');
  const { models } = await calls.ask<{ models: object[] }>('RepositoryIndex', { ready }, gone);
  return models.map(said);
}

/** Up to 2^64 − 1, which the engine checks against the memory that there is. */
function wideSize(body: JsonObject, key: string, otherwise?: number): string {
  const value = body.get(key) ?? otherwise;
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (isWhole && (value as number | bigint) >= 0 && BigInt(value as number | bigint) < 2n ** 64n) {
    return String(value as number | bigint);
  }
  throw invalid(`${key}: expected a whole number from 0 to 2^64 − 1`);
}

async function regionRegister({ route, body, calls, gone }: ControlRequest): Promise<Answer> {
  const request = {
    name: route.subject,
    key: stringOf(body.get('key'), 'key'),
    offset: wideSize(body, 'offset', 0),
    byte_size: wideSize(body, 'byte_size'),
  };
  await calls.ask('SystemSharedMemoryRegister', request, gone);
  return undefined;
}

async function regionStatus({ route, calls, gone }: ControlRequest): Promise<Answer> {
  const name = route.subject;
  const { regions } = await calls.ask<{ regions: Record<string, object> }>(
    'SystemSharedMemoryStatus',
    { name },
    gone,
  );
  return Object.values(regions);
}

async function modelConfig({ route, calls, gone }: ControlRequest): Promise<Answer> {
  const request = { name: route.subject, version: route.version };
  const { config } = await calls.ask<{ config: object | null }>('ModelConfig', request, gone);
  return withoutAbsent(config ?? {});
}

/** A question that is answered with what the engine says of the path's model. */
const named =
  (method: string): Control =>
  ({ route, calls, gone }) =>
    calls.ask<object>(method, { name: route.subject, version: route.version }, gone);

export const controls: Readonly<Record<Exclude<RouteName, 'modelInfer' | 'unsupported'>, Control>> = {
  serverMetadata: ({ calls, gone }) => calls.ask('ServerMetadata', {}, gone),
  serverLive: ({ calls, gone }) =>
    requireTrue(calls.ask('ServerLive', {}, gone), 'live', 'the engine is not live'),
  serverReady: ({ calls, gone }) =>
    requireTrue(
      calls.ask('ServerReady', {}, gone),
      'ready',
      'not every model is ready: POST /v2/repository/index has the reasons',
    ),
  modelMetadata: async (request) => said((await named('ModelMetadata')(request)) as object),
  modelReady,
  modelConfig,
  modelStatistics: named('ModelStatistics'),
  repositoryIndex,
  repositoryLoad: (request) =>
    request.calls.order({ kind: 'load', model: request.route.subject }, repositoryRequest(request)),
  repositoryUnload: (request) =>
    request.calls.order({ kind: 'unload', model: request.route.subject }, repositoryRequest(request)),
  regionStatus,
  regionRegister,
  regionUnregister: async ({ route, calls, gone }) => {
    await calls.ask('SystemSharedMemoryUnregister', { name: route.subject }, gone);
  },
};
