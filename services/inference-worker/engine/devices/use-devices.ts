import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { visibleGpus } from '#native/triton/gpus';
import { RoundhouseError } from '#schemas/errors';
import {
  deviceKind,
  driverVariables,
  leastCapability,
  servingGpus,
  visibilityOf,
  wantedDevices,
  type BackendsBuild,
  type Gpu,
} from './device-choice';

export interface Devices {
  /** As it stands in outcomes. */
  readonly kind: string;
  readonly gpus: readonly Gpu[];
  /** Of a GPU that the core may use; absent where it sees none. */
  readonly minComputeCapability?: number;
  /** Why GPUs of this machine don't serve; empty where there are none, or they do. */
  readonly unused: string;
}

/** The build leaves it beside the backends; a folder without one is taken for one that knows only the CPU. */
const buildFile = 'built-for.json';

/** Throws CONFIG_INVALID naming the file where it is there and can't be used. */
function buildOf(backends: string): BackendsBuild {
  const file = join(backends, buildFile);
  try {
    const { cudaArchitectures } = JSON.parse(readFileSync(file, 'utf8')) as BackendsBuild;
    const numbers = cudaArchitectures.map(Number);
    if (numbers.every((number) => number > 0)) return { cudaArchitectures: numbers };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { cudaArchitectures: [] };
    throw unusable(file, (error as Error).message);
  }
  throw unusable(file, 'cudaArchitectures are not all numbers above 0');
}

const unusable = (file: string, why: string): RoundhouseError =>
  new RoundhouseError('CONFIG_INVALID', `${file}, which the build leaves, can't be used: ${why}`);

function machineHasGpus(): boolean {
  return readdirSync('/dev').some((name) => /^nvidia\d+$/.test(name));
}

/** Of this process, and of the programs that the core starts. */
export interface Environment {
  readonly all: NodeJS.ProcessEnv;
  set(name: string, value: string): void;
}

/**
 * Makes this process see the GPUs that it shall use, and no others. Before the core is opened: the driver reads the
 * environment once. Throws CONFIG_INVALID for a GPU that is named and can't serve.
 */
export function useDevices(text: string, backends: string, { all, set }: Environment): Devices {
  const wanted = wantedDevices(text);
  const build = buildOf(backends);
  const inherited = all['CUDA_VISIBLE_DEVICES'];
  const visibility = visibilityOf(wanted, build, inherited);
  for (const [name, value] of driverVariables(visibility, inherited)) set(name, value);
  const { hidden } = visibility;
  if (hidden !== '') return { kind: 'cpu', gpus: [], unused: machineHasGpus() ? hidden : '' };
  const { gpus: shown, failure } = visibleGpus();
  const gpus = servingGpus(wanted, build, shown);
  const minComputeCapability = leastCapability(build);
  const tooOld =
    shown.length > 0 ? `none has compute capability ${minComputeCapability.toFixed(1)}` : failure;
  return { kind: deviceKind(gpus), gpus, minComputeCapability, unused: gpus.length === 0 ? tooOld : '' };
}
