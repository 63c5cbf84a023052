import { readFileSync } from 'node:fs';

export interface Growth {
  /** Of resident memory an operation, after the first 50 (or a sixth of fewer): Theil and Sen's slope. */
  readonly rssBytesAnOperation: number;
  readonly rssMb: readonly number[];
}

export interface Reading {
  readonly operations: number;
  readonly bytes: number;
}

export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The median of the slopes between all pairs of readings: a few that are off count little. */
export function slopeOf(readings: readonly Reading[]): number {
  const slopes = readings.flatMap((later, i) =>
    readings
      .slice(0, i)
      .map((earlier) => (later.bytes - earlier.bytes) / (later.operations - earlier.operations)),
  );
  return median(slopes);
}

export function growthOf(readings: readonly Reading[]): Growth {
  const warmUp = Math.min(50, (readings.at(-1)?.operations ?? 0) / 6);
  return {
    rssBytesAnOperation: Math.round(slopeOf(readings.filter(({ operations }) => operations >= warmUp))),
    rssMb: readings.map(({ bytes }) => Number((bytes / 1e6).toFixed(2))),
  };
}
