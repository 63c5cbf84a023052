import { readFileSync } from 'node:fs';

/** Resident memory, and what it consists of: of its own, of files (programs and libraries), and shared. */
const kinds = { rss: 'VmRSS', own: 'RssAnon', files: 'RssFile', shared: 'RssShmem' } as const;
export type Kind = keyof typeof kinds;
const allKinds = Object.keys(kinds) as Kind[];

export type Resident = Readonly<Record<Kind, number>>;

export interface Reading {
  readonly operations: number;
  readonly bytes: Resident;
}

export interface Growth {
  /** Of resident memory an operation, after the first 50 (or a sixth of fewer): Theil and Sen's slope. */
  readonly rssBytesAnOperation: number;
  /** The same of its parts. */
  readonly parts: Readonly<Record<Exclude<Kind, 'rss'>, number>>;
  readonly rssMb: readonly number[];
}

export function residentBytes(pid: number): Resident {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytesOf = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024;
  return Object.fromEntries(allKinds.map((kind) => [kind, bytesOf(kinds[kind])])) as Record<Kind, number>;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The median of the slopes between all pairs of readings: a few that are off count little. */
export function slopeOf(readings: readonly Reading[], kind: Kind): number {
  const slopes = readings.flatMap((later, i) =>
    readings
      .slice(0, i)
      .map((earlier) => (later.bytes[kind] - earlier.bytes[kind]) / (later.operations - earlier.operations)),
  );
  return median(slopes);
}

export function growthOf(readings: readonly Reading[]): Growth {
  const warmUp = Math.min(50, (readings.at(-1)?.operations ?? 0) / 6);
  const counted = readings.filter(({ operations }) => operations >= warmUp);
  const [rssBytesAnOperation, own, files, shared] = allKinds.map((kind) =>
    Math.round(slopeOf(counted, kind)),
  );
  return {
    rssBytesAnOperation: rssBytesAnOperation!,
    parts: { own: own!, files: files!, shared: shared! },
    rssMb: readings.map(({ bytes }) => Number((bytes.rss / 1e6).toFixed(2))),
  };
}
