import type { MethodDefinition, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadProtocol } from '#lib/engine-client/protocol';
import { contentHashParameter } from '#lib/model-repository';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { TritonServer } from '#native/triton/triton-server';
import { asIs } from '#lib/opaque-method';
import type { EngineModels } from './engine-models';
import type { EngineEvents } from './events';
import type { InferenceGate } from './inference-gate';
import { regionHandlers } from './shared-memory/region-handlers';
import type { SharedMemoryRegions } from './shared-memory/regions';
import { abortSignalOf, deadlineOf, unary } from './unary-handlers';

export interface EngineParts {
  readonly triton: TritonServer;
  readonly models: EngineModels;
  readonly gate: InferenceGate;
  readonly events: EngineEvents;
  readonly regions: SharedMemoryRegions;
}

interface NamedModel {
  readonly name: string;
  readonly version: string;
}
interface RepositoryModel {
  readonly model_name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** ModelInfer carries tensors, so its messages stay bytes until our own codec reads them. */
export function inferenceDefinition(): ServiceDefinition {
  const service = loadProtocol().inference;
  const infer = service['ModelInfer'] as MethodDefinition<unknown, unknown>;
  const raw = { requestDeserialize: asIs, responseSerialize: asIs } as unknown as typeof infer;
  return { ...service, ModelInfer: { ...infer, ...raw } };
}

/** `reload` loads every version anew though nothing changed; other parameters are refused. */
function isReload({ parameters }: RepositoryModel): boolean {
  const { reload, ...others } = parameters as { readonly reload?: { readonly bool_param?: unknown } };
  const [name] = Object.keys(others);
  if (name === undefined && reload === undefined) return false;
  if (name === undefined && typeof reload?.bool_param === 'boolean') return reload.bool_param;
  const limit = name === undefined ? 'a bool is wanted' : 'not supported, write it into the repository';
  throw new RoundhouseError('PAYLOAD_INVALID', `parameters["${shownText(name ?? 'reload', 100)}"]: ${limit}`);
}

/** Beside what the core says: the hash of the version folder when it was loaded (lib/model-repository.ts). */
function modelConfig({ triton, models }: EngineParts, { name, version }: NamedModel): object {
  const config = triton.modelConfig(name, version) as { readonly parameters?: object };
  const hash = models.contentHashOf(name, version);
  if (hash === undefined) return { config };
  const parameters = { ...config.parameters, [contentHashParameter]: { string_value: hash } };
  return { config: { ...config, parameters } };
}

interface ServerMetadata {
  readonly extensions?: readonly string[];
}

/** The core names what its own server has; these are not served here. */
const notServed = new Set(['classification', 'sequence', 'cuda_shared_memory', 'trace', 'logging']);

function servedMetadata(metadata: ServerMetadata): object {
  return { ...metadata, extensions: metadata.extensions?.filter((name) => !notServed.has(name)) ?? [] };
}

export function inferenceHandlers(parts: EngineParts): UntypedServiceImplementation {
  const { triton, models, gate, events, regions } = parts;
  return {
    ...regionHandlers(regions),
    ServerLive: unary(() => ({ live: triton.isLive() })),
    ServerReady: unary(() => ({ ready: models.whyNotReady() === null })),
    ModelReady: unary(({ name, version }: NamedModel) => ({ ready: triton.isModelReady(name, version) })),
    ServerMetadata: unary(() => servedMetadata(triton.serverMetadata() as ServerMetadata)),
    ModelMetadata: unary(({ name, version }: NamedModel) => triton.modelMetadata(name, version) as object),
    ModelConfig: unary((named: NamedModel) => modelConfig(parts, named)),
    ModelStatistics: unary(
      ({ name, version }: NamedModel) => triton.modelStatistics(name, version) as object,
    ),
    RepositoryIndex: unary(async ({ ready }: { ready: boolean }) => {
      const all = await models.index();
      return { models: ready ? all.filter(({ state }) => state === 'READY') : all };
    }),
    RepositoryModelLoad: unary(async (request: RepositoryModel) => {
      await models.load(request.model_name, isReload(request));
      return {};
    }),
    RepositoryModelUnload: unary(async ({ model_name: model }: RepositoryModel) => {
      await models.unload(model);
      return {};
    }),
    ModelInfer: unary(
      (bytes: Buffer, call) =>
        gate.infer(bytes, { signal: abortSignalOf(call), deadlineMs: deadlineOf(call) }),
      ({ code, message }) => {
        if (code !== 'DEADLINE_EXCEEDED') events.RequestRefused({ code, reason: message });
      },
    ),
  };
}
