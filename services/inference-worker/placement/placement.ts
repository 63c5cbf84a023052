import type { InferRequest, InferResponse } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';

/** What is to be computed, wherever there is room. */
export interface PlacedWork {
  readonly request: InferRequest;
  /** Of the model's version (lib/model-repository.ts), for engines that aren't ours. */
  readonly contentHash?: string;
  /** What its time grows with, above 0: candidates, or rows. */
  readonly size: number;
  /** Of its tensors, in and (expected) out. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /**
   * Names of engines that were lost, or broke, with it. Whoever sends it to an engine looks here first, and adds the
   * engine's name when that happens: no engine gets it twice then. Local ones are named with their incarnation, so an
   * engine's successor is another one.
   */
  readonly failedOn: Set<string>;
}

/** Of which it is asked when it would be done. */
export type ExpectedWork = Omit<PlacedWork, 'failedOn'> & Partial<Pick<PlacedWork, 'failedOn'>>;

export type MemoryOf = (work: Omit<PlacedWork, 'failedOn'>) => number;

export interface PlacedAnswer {
  readonly response: InferResponse;
  /** As it stands in outcomes. */
  readonly deviceKind: string;
  /** A local device and its incarnation ("gpu:0#2", "cpu#1"), or a remote's name. */
  readonly engine: string;
}

/** Where shards are computed. */
export interface Placement {
  /**
   * Rejects with RoundhouseError as an EngineClient does, or with one of the classes below. ENGINE_BUSY, ENGINE_LOST and
   * DEVICE_FAULT may be tried again by the caller.
   */
  infer(work: PlacedWork, until: UnixMs, signal?: AbortSignal): Promise<PlacedAnswer>;
}

export interface DeviceReport {
  readonly id: string;
  /** As it stands in outcomes; empty before its engine has been up. */
  readonly kind: string;
  readonly ready: boolean;
}

/** How busy a worker's own engines are; rides on its answers to others. */
export interface LoadReport {
  readonly waiting: number;
  readonly inFlight: number;
  /** Until something that comes now would start; 0 where it would at once. */
  readonly expectedWaitMs: number;
  readonly devices: readonly DeviceReport[];
  readonly at: UnixMs;
}

/** The engines of this worker, all devices. */
export interface LocalEngines extends Placement {
  /** Milliseconds from now; null while no engine is up that may have it. */
  expectedFinishMs(work: ExpectedWork): number | null;
  /** null while at least one engine is up. */
  whyDown(): string | null;
  /** Engines keep ending on every device: the work is left to other workers. null while it is not. */
  whyHandedOver(): string | null;
  load(): LoadReport;
}

/** It can't make its deadline here by the scheduler's estimates, and has cost nothing: another worker may be in time. */
export class LateHere extends RoundhouseError {
  constructor() {
    super('DEADLINE_EXCEEDED', 'it would not be done by its deadline here: not started');
  }
}

/** It needs more memory than any device here has in all. */
export class UnfitHere extends RoundhouseError {
  constructor(what: string) {
    super('MODEL_FAILED', what);
  }
}

/** The engine is gone, or no use for anybody. */
const lostCodes: readonly string[] = ['ENGINE_LOST', 'DEVICE_FAULT'];

/** Lost with an engine that it was sent to: another one may have it, once. */
export function isLostWithEngine(error: unknown): boolean {
  if (error instanceof NoEngineInTime || error instanceof HandedOver) return false;
  return error instanceof RoundhouseError && lostCodes.includes(error.code);
}

/** No engine was up until its deadline; it was never sent to one. */
export class NoEngineInTime extends RoundhouseError {
  constructor(why: string) {
    super('ENGINE_LOST', why);
  }
}

/** Other workers are to do it. */
export class HandedOver extends RoundhouseError {
  constructor() {
    super('ENGINE_LOST', 'engines keep ending here: other workers are to do it');
  }
}
