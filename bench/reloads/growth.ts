import { readFileSync } from 'node:fs';

export interface Growth {
  /** Of resident memory an operation, after the first 50 (or a sixth of fewer): the slope of what is left of it at the lowest. */
  readonly rssBytesAnOperation: number;
  readonly rssMbAfterWarmUp: number;
  readonly rssMbAtEnd: number;
  /** Every twentieth part of the run. */
  readonly rssMb: readonly number[];
}

export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const blockSize = 10;

/** The lowest of every ten readings: memory that is in use for a moment is above it, a leak raises it. */
function lowest(values: readonly number[]): number[] {
  const blocks = Math.max(2, Math.floor(values.length / blockSize));
  const size = Math.floor(values.length / blocks);
  return Array.from({ length: blocks }, (_, i) => Math.min(...values.slice(i * size, (i + 1) * size)));
}

/** The median of the slopes between blocks half a run apart, an operation: a step up and down again counts little. */
export function slopeOf(values: readonly number[]): number {
  const blocks = lowest(values);
  const half = Math.floor(blocks.length / 2);
  const apart = half * Math.floor(values.length / blocks.length);
  return median(
    Array.from({ length: blocks.length - half }, (_, i) => (blocks[i + half]! - blocks[i]!) / apart),
  );
}

const mb = (bytes: number) => Number((bytes / 1e6).toFixed(1));

export function growthOf(resident: readonly number[]): Growth {
  const warmUp = Math.min(50, Math.floor(resident.length / 6));
  const settled = resident.slice(warmUp);
  const step = Math.max(1, Math.floor(resident.length / 20));
  return {
    rssBytesAnOperation: Math.round(slopeOf(settled)),
    rssMbAfterWarmUp: mb(settled[0]!),
    rssMbAtEnd: mb(settled.at(-1)!),
    rssMb: resident.filter((_, i) => i % step === 0).map(mb),
  };
}
