import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { projectPath } from '#schemas/project-root';
import { TritonServer } from '#native/triton/triton-server';
import type { EngineConfig } from './config';
import { endWithDevice } from './device-watch';
import { useDevices, type Devices, type Environment } from './devices/use-devices';
import { EngineModels } from './engine-models';
import type { EngineEvents } from './events';
import { InferenceGate } from './inference-gate';
import { ModelHealing } from './model-healing';
import { requireModelsFolder } from './models-folder';
import { PythonBackend } from './python/python-backend';
import { RepositoryPoll } from './repository-poll';
import { modelsIn } from './repository-scan';
import { RepositoryView } from './repository-view';
import type { ServedEngine } from './serve-engine';
import { SharedMemoryRegions } from './shared-memory/regions';
import { asRoundhouseError } from './triton-errors';

/** Relative paths of the configuration start at the root of the project. */
function at(path: string): string {
  return resolve(projectPath(), path);
}

function startTriton(
  config: EngineConfig,
  modelRepository: string,
  pythonRegionPrefix: string,
  { minComputeCapability }: Devices,
): Promise<TritonServer> {
  const triton = at(join(config.toolchainDir, 'triton'));
  return TritonServer.start({
    coreLibrary: join(triton, 'nvidia_pytriton.libs', 'libtritonserver.so'),
    modelRepository,
    backendDirectory: at(config.backendsDir),
    cacheDirectory: join(triton, 'pytriton', 'tritonserver', 'caches'),
    admission: config,
    pythonRegionPrefix,
    ...(minComputeCapability === undefined ? {} : { minComputeCapability }),
  }).catch((error: unknown) => {
    throw asRoundhouseError(error);
  });
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
function openDataPlane(triton: TritonServer, config: EngineConfig, { gpus }: Devices): void {
  const socket = dataPlaneSocket(at(config.socket));
  rmSync(socket, { force: true });
  triton.openDataPlane(socket, gpus.length > 0);
}

function chooseDevices(config: EngineConfig, events: EngineEvents, environment: Environment): Devices {
  const devices = useDevices(config.devices, at(config.backendsDir), environment);
  const gpus = devices.gpus.map(({ name }) => name);
  events.DevicesChosen({ device: devices.kind, gpus, unused: devices.unused });
  return devices;
}

export interface Engine {
  readonly devices: Devices;
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
  requireModelsFolder(repository);
  const devices = chooseDevices(config, events, environment);
  const view = new RepositoryView(repository, `${at(config.socket)}.models`);
  const python = pythonBackend(config, events, environment);
  const starting = startTriton(config, view.folder, python.regionPrefix, devices);
  // gRPC takes as long to load as the core to start: side by side.
  const serving = import('./serve-engine.js');
  const triton = await starting;
  const needed = config.models === '' ? modelsIn(repository) : config.models.split(',');
  const models = new EngineModels({ triton, repository, view, needed, events, python });
  if (config.faultInjection) events.FaultInjectionEnabled({ models: needed });
  const regions = new SharedMemoryRegions();
  const gate = new InferenceGate(triton, config, regions);
  let served: ServedEngine | undefined;
  const device = endWithDevice(triton, devices, events);
  const healing = new ModelHealing({ triton, models, python, events });
  const poll = new RepositoryPoll(models, repository, config.models === '' ? null : needed);
  const stop = async (): Promise<void> => {
    healing.close();
    await poll.stop();
    await served?.close();
    regions.close();
    await triton.stop();
    device.close();
    view.close();
    python.close();
  };
  try {
    await models.loadNeeded();
    const { serveEngine } = await serving;
    const backends = at(config.backendsDir);
    const options = { maxMessageBytes: config.maxMessageBytes, backends };
    served = await serveEngine({ triton, models, gate, events, regions }, at(config.socket), options);
    if (config.dataPlane === 'shm') openDataPlane(triton, config, devices);
  } catch (error) {
    await stop();
    throw error;
  }
  healing.start();
  if (config.modelsPollMs > 0) poll.start(config.modelsPollMs);
  events.EngineListened({ socket: at(config.socket), models: needed, ready: models.whyNotReady() === null });
  return { devices, models, stop };
}
