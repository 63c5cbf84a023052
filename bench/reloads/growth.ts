import { readFileSync } from 'node:fs';

export interface Growth {
  /** Of resident memory an operation, after the first 50 (or a sixth of fewer): Theil and Sen's slope. */
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

/** The median of the slopes between readings half a run apart: a step up and down again counts little. */
export function slopeOf(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  if (half === 0) return 0;
  return median(
    Array.from({ length: values.length - half }, (_, i) => (values[i + half]! - values[i]!) / half),
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
