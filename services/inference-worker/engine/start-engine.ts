import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Server } from '@grpc/grpc-js';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { loadProtocol } from '#lib/engine-client/protocol';
import { projectPath } from '#schemas/project-root';
import { TritonServer } from '#native/triton/triton-server';
import { admissionHandlers } from './admission-service';
import type { EngineConfig } from './config';
import { endWithDevice } from './device-watch';
import { EngineModels } from './engine-models';
import type { EngineEvents } from './events';
import { healthHandlers } from './health-service';
import { InferenceGate } from './inference-gate';
import { inferenceDefinition, inferenceHandlers } from './inference-service';
import { PythonBackend } from './python/python-backend';
import { RepositoryPoll } from './repository-poll';
import { modelsIn } from './repository-scan';
import { RepositoryView } from './repository-view';
import { SharedMemoryRegions } from './shared-memory/regions';
import { bindSocket, closeServer } from './socket-server';
import { asRoundhouseError } from './triton-errors';

/** Relative paths of the configuration start at the root of the project. */
function at(path: string): string {
  return resolve(projectPath(), path);
}

function startTriton(
  config: EngineConfig,
  modelRepository: string,
  pythonRegionPrefix: string,
): Promise<TritonServer> {
  const triton = at(join(config.toolchainDir, 'triton'));
  return TritonServer.start({
    coreLibrary: join(triton, 'nvidia_pytriton.libs', 'libtritonserver.so'),
    modelRepository,
    backendDirectory: at(config.backendsDir),
    cacheDirectory: join(triton, 'pytriton', 'tritonserver', 'caches'),
    admission: config,
    pythonRegionPrefix,
  }).catch((error: unknown) => {
    throw asRoundhouseError(error);
  });
}

/** The environment of the programs that the core starts is that of this process. */
export interface Environment {
  readonly all: NodeJS.ProcessEnv;
  set(name: string, value: string): void;
}

function pythonBackend(config: EngineConfig, events: EngineEvents, { all, set }: Environment): PythonBackend {
  return new PythonBackend({
    repository: at(config.modelsDir),
    backends: at(config.backendsDir),
    stubs: at(join(config.toolchainDir, 'triton', 'pytriton', 'tritonserver', 'python_backend_stubs')),
    program: config.python,
    outputPath: `${at(config.socket)}.python`,
    env: all,
    exportVariable: set,
    onPrinted: (text) => events.PythonPrinted({ text }),
  });
}

/** Whoever could bind the engine's socket may take the one beside it. */
function openDataPlane(triton: TritonServer, config: EngineConfig): void {
  const socket = dataPlaneSocket(at(config.socket));
  rmSync(socket, { force: true });
  triton.openDataPlane(socket);
}

export interface Engine {
  readonly models: EngineModels;
  stop(): Promise<void>;
}

/** Loads the models, then listens: whoever can connect finds every model loaded or rejected. */
export async function startEngine(
  config: EngineConfig,
  events: EngineEvents,
  environment: Environment,
): Promise<Engine> {
  const repository = at(config.modelsDir);
  const view = new RepositoryView(repository, `${at(config.socket)}.models`);
  const python = pythonBackend(config, events, environment);
  const triton = await startTriton(config, view.folder, python.regionPrefix);
  const needed = config.models === '' ? modelsIn(repository) : config.models.split(',');
  const models = new EngineModels({ triton, repository, view, needed, events, python });
  if (config.faultInjection) events.FaultInjectionEnabled({ models: needed });
  const regions = new SharedMemoryRegions();
  const gate = new InferenceGate(triton, config, regions);
  const server = new Server({
    'grpc.max_receive_message_length': config.maxMessageBytes,
    'grpc.max_send_message_length': config.maxMessageBytes,
  });
  const stopping = new AbortController();
  const device = endWithDevice(triton);
  const poll = new RepositoryPoll(models, repository, config.models === '' ? null : needed);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await poll.stop();
    await closeServer(server);
    regions.close();
    await triton.stop();
    device.close();
    view.close();
    python.close();
  };
  try {
    await models.loadNeeded();
    server.addService(inferenceDefinition(), inferenceHandlers({ triton, models, gate, events, regions }));
    server.addService(loadProtocol().health, healthHandlers(models, stopping.signal));
    server.addService(loadProtocol().engine, admissionHandlers(triton));
    mkdirSync(dirname(at(config.socket)), { recursive: true });
    await bindSocket(server, at(config.socket));
    if (config.dataPlane === 'shm') openDataPlane(triton, config);
  } catch (error) {
    await stop();
    throw error;
  }
  if (config.modelsPollMs > 0) poll.start(config.modelsPollMs);
  events.EngineListened({ socket: at(config.socket), models: needed, ready: models.whyNotReady() === null });
  return { models, stop };
}
