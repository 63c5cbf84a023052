import type { MethodDefinition, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { loadProtocol } from '#lib/engine-client/protocol';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { TritonServer } from '#native/triton/triton-server';
import type { EngineModels } from './engine-models';
import type { EngineEvents } from './events';
import type { InferenceGate } from './inference-gate';
import { regionHandlers } from './shared-memory/region-handlers';
import type { SharedMemoryRegions } from './shared-memory/regions';
import { abortSignalOf, unary } from './unary-handlers';

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
  const same = (bytes: Buffer): Buffer => bytes;
  const raw = { requestDeserialize: same, responseSerialize: same } as unknown as typeof infer;
  return { ...service, ModelInfer: { ...infer, ...raw } };
}

function refuseParameters({ parameters }: RepositoryModel): void {
  const [name] = Object.keys(parameters);
  if (name === undefined) return;
  throw new RoundhouseError(
    'PAYLOAD_INVALID',
    `parameters["${shownText(name, 100)}"]: not supported, write it into the repository`,
  );
}

export function inferenceHandlers({
  triton,
  models,
  gate,
  events,
  regions,
}: EngineParts): UntypedServiceImplementation {
  return {
    ...regionHandlers(regions),
    ServerLive: unary(() => ({ live: triton.isLive() })),
    ServerReady: unary(() => ({ ready: models.whyNotReady() === null })),
    ModelReady: unary(({ name, version }: NamedModel) => ({ ready: triton.isModelReady(name, version) })),
    ServerMetadata: unary(() => triton.serverMetadata() as object),
    ModelMetadata: unary(({ name, version }: NamedModel) => triton.modelMetadata(name, version) as object),
    ModelConfig: unary(({ name, version }: NamedModel) => ({ config: triton.modelConfig(name, version) })),
    ModelStatistics: unary(
      ({ name, version }: NamedModel) => triton.modelStatistics(name, version) as object,
    ),
    RepositoryIndex: unary(async ({ ready }: { ready: boolean }) => {
      const all = await models.index();
      return { models: ready ? all.filter(({ state }) => state === 'READY') : all };
    }),
    RepositoryModelLoad: unary(async (request: RepositoryModel) => {
      refuseParameters(request);
      await models.load(request.model_name);
      return {};
    }),
    RepositoryModelUnload: unary(async ({ model_name: model }: RepositoryModel) => {
      await models.unload(model);
      return {};
    }),
    ModelInfer: unary(
      (bytes: Buffer, call) => gate.infer(bytes, abortSignalOf(call)),
      ({ code, message }) => {
        if (code !== 'DEADLINE_EXCEEDED') events.RequestRefused({ code, reason: message });
      },
    ),
  };
}
