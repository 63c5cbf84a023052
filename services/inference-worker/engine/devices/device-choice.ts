import { RoundhouseError } from '#schemas/errors';

/** `auto`: the GPUs that there are, else the CPU. Numbers are those that nvidia-smi shows. */
export type WantedDevices = 'auto' | 'cpu' | readonly number[];

export function wantedDevices(text: string): WantedDevices {
  if (text === 'auto' || text === 'cpu') return text;
  const numbers = text.split(',').map(Number);
  const twice = numbers.find((number, at) => numbers.indexOf(number) !== at);
  if (twice !== undefined) throw invalid(`names GPU ${twice} twice`);
  return numbers;
}

/** Which GPUs the backends were compiled for, as in sm_90; none: they know only the CPU. */
export interface BackendsBuild {
  readonly cudaArchitectures: readonly number[];
}

/** What CUDA_VISIBLE_DEVICES has to be before anything asks the driver; null: it stays as it is. */
export interface Visibility {
  readonly visible: string | null;
  /** Why GPUs are hidden; empty where they are not. */
  readonly hidden: string;
}

/** No number of a GPU: none is visible. */
const none = '-1';

function invalid(what: string): RoundhouseError {
  return new RoundhouseError('CONFIG_INVALID', `ROUNDHOUSE_DEVICES ${what}`);
}

/** Numbers count within the inherited CUDA_VISIBLE_DEVICES, where somebody has set it. */
export function visibilityOf(
  wanted: WantedDevices,
  build: BackendsBuild,
  inherited: string | undefined,
): Visibility {
  const isForCpu = build.cudaArchitectures.length === 0;
  if (wanted === 'cpu') return { visible: none, hidden: 'ROUNDHOUSE_DEVICES is cpu' };
  if (wanted === 'auto') {
    if (isForCpu) return { visible: none, hidden: 'the backends were built without CUDA' };
    return { visible: null, hidden: '' };
  }
  if (isForCpu) throw invalid(`names GPU ${wanted[0]}, but the backends were built without CUDA`);
  if (inherited === undefined) return { visible: wanted.join(','), hidden: '' };
  const given = inherited.split(',').filter((entry) => entry.trim() !== '');
  const absent = wanted.find((number) => number >= given.length);
  if (absent === undefined)
    return { visible: wanted.map((number) => given[number]!.trim()).join(','), hidden: '' };
  throw invalid(`names GPU ${absent}, but CUDA_VISIBLE_DEVICES leaves ${given.length}: "${inherited}"`);
}

/**
 * What the environment has to say beside what it has inherited. The order is that of nvidia-smi, unless numbers count
 * within what somebody else chose.
 */
export function driverVariables({ visible }: Visibility, inherited: string | undefined): [string, string][] {
  return [
    ...(visible === null ? [] : [['CUDA_VISIBLE_DEVICES', visible] as [string, string]]),
    ...(inherited === undefined ? [['CUDA_DEVICE_ORDER', 'PCI_BUS_ID'] as [string, string]] : []),
  ];
}

export interface Gpu {
  readonly name: string;
  /** 9.0 */
  readonly computeCapability: string;
  readonly memoryBytes: number;
}

/** Of the smallest GPU that the backends' code runs on: its PTX serves the larger ones. */
export function leastCapability({ cudaArchitectures }: BackendsBuild): number {
  return Math.min(...cudaArchitectures) / 10;
}

/** The GPUs that serve, of those that the driver shows. Each GPU that was named must be there and be usable. */
export function servingGpus(
  wanted: WantedDevices,
  build: BackendsBuild,
  shown: readonly Gpu[],
): readonly Gpu[] {
  const least = leastCapability(build);
  const serves = (gpu: Gpu): boolean => Number(gpu.computeCapability) >= least;
  if (typeof wanted === 'string') return shown.filter(serves);
  const absent = wanted[shown.length];
  if (absent !== undefined) throw invalid(`names GPU ${absent}, which is absent or refused by its driver`);
  const small = shown.findIndex((gpu) => !serves(gpu));
  if (small < 0) return shown;
  const { name, computeCapability } = shown[small]!;
  throw invalid(
    `names GPU ${wanted[small]}, ${name}, of compute capability ${computeCapability}; the backends need ${least.toFixed(1)}`,
  );
}

/** As it stands in outcomes: the same numbers are promised for one kind of device alone. */
export function deviceKind(gpus: readonly Gpu[]): string {
  return gpus.length === 0 ? 'cpu' : [...new Set(gpus.map((gpu) => gpu.name))].sort().join(' + ');
}
