/** What a shard passes, in this order, named as in a trace. */
export const tracedPhases = ['decode', 'copyIn', 'etr', 'or', 'copyOut', 'publish'] as const;
export type TracedPhaseName = (typeof tracedPhases)[number];

/** One phase of one shard, from when to when. */
export interface TracedPhase {
  readonly shard: number;
  readonly round: string;
  readonly model: string;
  /** What it was on: `cpu` for the worker's own work, else a device ("gpu:0") or a remote engine. */
  readonly device: string;
  readonly phase: TracedPhaseName;
  /** Unix nanoseconds. */
  readonly startNs: bigint;
  readonly endNs: bigint;
}

const keys = ['shard', 'round', 'model', 'device', 'phase', 'startNs', 'endNs'] as const;

/** One line of a trace; nanoseconds as text, since a number of JSON holds them to 256. */
export function traceLine(traced: TracedPhase): string {
  const { startNs, endNs, ...rest } = traced;
  return `${JSON.stringify({ ...rest, startNs: String(startNs), endNs: String(endNs) })}\n`;
}

function nanoseconds(value: unknown): bigint | null {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : null;
}

/** Throws with what is wrong with it. */
export function readTraceLine(line: string): TracedPhase {
  const read = JSON.parse(line) as Record<string, unknown>;
  const missing = keys.filter((key) => read[key] === undefined);
  if (missing.length > 0) throw new Error(`without ${missing.join(', ')}`);
  const { shard, round, model, device, phase } = read;
  if (!tracedPhases.includes(phase as TracedPhaseName)) throw new Error(`unknown phase ${String(phase)}`);
  if (!Number.isInteger(shard)) throw new Error('shard is no whole number');
  const [startNs, endNs] = [nanoseconds(read.startNs), nanoseconds(read.endNs)];
  if (startNs === null || endNs === null || endNs < startNs) throw new Error('times that are none');
  return {
    shard: shard as number,
    round: String(round),
    model: String(model),
    device: String(device),
    phase: phase as TracedPhaseName,
    startNs,
    endNs,
  };
}
