import { logVerbosity, setLogVerbosity, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { projectPath } from '#schemas/project-root';

/** Method definitions of an engine, for servers. A client of ours needs none of this. */
export interface EngineProtocol {
  readonly inference: ServiceDefinition;
  readonly health: ServiceDefinition;
  /** Our own. */
  readonly engine: ServiceDefinition;
}

/** What the library would print reaches callers as statuses and rejections. */
setLogVerbosity(logVerbosity.NONE);

let loaded: EngineProtocol | undefined;

export function loadProtocol(): EngineProtocol {
  if (loaded !== undefined) return loaded;
  const options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };
  const files = ['kserve.proto', 'health.proto', 'engine.proto'].map((name) =>
    projectPath('schemas', 'proto', name),
  );
  const definitions = loadSync(files, options);
  loaded = {
    inference: definitions['inference.GRPCInferenceService'] as ServiceDefinition,
    health: definitions['grpc.health.v1.Health'] as ServiceDefinition,
    engine: definitions['roundhouse.engine.v1.Engine'] as ServiceDefinition,
  };
  return loaded;
}
