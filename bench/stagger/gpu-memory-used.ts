import { execFileSync } from 'node:child_process';

const mib = 2 ** 20;

/** Of the first GPU, in bytes, with everything that processes hold of it; null where there is none. */
export function gpuMemoryUsed(): number | null {
  try {
    const asked = ['--query-gpu=memory.used', '--format=csv,noheader,nounits'];
    const text = execFileSync('nvidia-smi', asked, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const used = Number.parseInt(text, 10);
    return Number.isNaN(used) ? null : used * mib;
  } catch {
    return null;
  }
}
