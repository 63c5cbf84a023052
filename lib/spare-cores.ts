import { availableParallelism } from 'node:os';

const CORES_OF_A_CHAIN = 4;

/** Whether threads of a service may compute while all services of a chain start. */
export function hasSpareCores(cores = availableParallelism()): boolean {
  return cores >= CORES_OF_A_CHAIN;
}
