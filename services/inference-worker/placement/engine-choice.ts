import { RoundhouseError } from '#schemas/errors';

export interface EngineChoice {
  /** "cpu", "gpu:0", "gpu:0,1", or "local" where the engine finds out itself. */
  readonly id: string;
  /** For its ROUNDHOUSE_DEVICES; null: as inherited. */
  readonly devices: string | null;
  /** Of a list with GPUs: what the others finish first they get. */
  readonly isLastResort: boolean;
  /** Nobody named the device: one that can't be used is done without while there are others. */
  readonly isFound: boolean;
}

/** What there is to choose from. */
export interface Machine {
  /** As inherited; undefined: not set. */
  readonly devices: string | undefined;
  /** Device nodes, or entries of CUDA_VISIBLE_DEVICES. */
  readonly gpus: number;
  readonly isBuiltForGpus: boolean;
}

const mostEngines = 64;
const numbers = /^\d{1,3}(,\d{1,3})*$/;

function invalid(what: string): RoundhouseError {
  return new RoundhouseError('CONFIG_INVALID', `ROUNDHOUSE_ENGINES ${what}`);
}

/** One engine a GPU where there are several, else one that finds out itself what there is. */
function found({ devices = 'auto', gpus, isBuiltForGpus }: Machine): string[] {
  if (numbers.test(devices)) {
    const listed = devices.split(',');
    return new Set(listed).size === listed.length && listed.length > 1 ? listed : ['auto'];
  }
  if (devices !== 'auto' || !isBuiltForGpus || gpus < 2) return ['auto'];
  return Array.from({ length: gpus }, (_, number) => String(number));
}

/**
 * The engines that `wanted` asks for: values for ROUNDHOUSE_DEVICES separated by semicolons, one engine each. Throws
 * CONFIG_INVALID.
 */
export function chooseEngines(wanted: string, machine: Machine): readonly EngineChoice[] {
  const entries = wanted.split(';').flatMap((entry) => {
    if (entry === 'auto') return found(machine).map((devices) => ({ devices, isFound: true }));
    return [{ devices: entry, isFound: false }];
  });
  requireUnique(entries.map(({ devices }) => devices));
  const cpus = entries.filter(({ devices }) => devices === 'cpu').length;
  let lastCpu = 0;
  return entries.map(({ devices, isFound }) => {
    const isCpu = devices === 'cpu';
    const own = isCpu ? (cpus > 1 ? `cpu:${lastCpu++}` : 'cpu') : `gpu:${devices}`;
    return {
      id: devices === 'auto' ? 'local' : own,
      devices: devices === 'auto' ? null : devices,
      isLastResort: isCpu && cpus < entries.length,
      isFound,
    };
  });
}

/** What an engine says of its ROUNDHOUSE_DEVICES, to whoever named the device elsewhere. */
export function asWanted({ devices }: EngineChoice, reason: string): string {
  if (devices === null) return reason;
  return reason.replaceAll('ROUNDHOUSE_DEVICES', `ROUNDHOUSE_ENGINES with ${devices}`);
}

/** The processor may have several, a GPU one. */
function requireUnique(devices: readonly string[]): void {
  if (devices.length > mostEngines)
    throw invalid(`asks for ${devices.length} engines, ${mostEngines} at most`);
  const gpus = devices.filter((one) => one !== 'cpu').flatMap((one) => one.split(','));
  const twice = gpus.find((gpu, at) => gpus.indexOf(gpu) !== at);
  if (twice !== undefined) throw invalid(`names ${twice === 'auto' ? twice : `GPU ${twice}`} twice`);
}
