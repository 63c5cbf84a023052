import type { Phase } from './phases';

/** A shard that waits. Times are milliseconds of the caller's clock, bytes are whole. */
export interface WaitingShard {
  /** Unique among those that the scheduler holds. */
  readonly id: string;
  readonly model: string;
  /** What the phases' times grow with, above 0: rows, say. */
  readonly size: number;
  /** Its outcome must be there by then. */
  readonly deadlineMs: number;
  /** Of the shared-memory pool, from its start until it leaves. */
  readonly poolBytes: number;
  /** Of the device's activation arena, from its start until its copy out has ended. */
  readonly arenaBytes: number;
  /** Names of engines that must not have it. */
  readonly notOn?: ReadonlySet<string>;
}

export interface SchedulingDevice {
  readonly id: string;
  /** Of its engine, for `notOn`. */
  readonly engine?: string;
  /** Against the device that the prior was measured on; only counts until there are observations. */
  readonly speed: number;
  readonly arenaBytes: number;
  /** A shard of this size fills the device; smaller ones may share it. */
  readonly fullSize: number;
  /** Of models named here so many shards run side by side whatever their size: threads of a processor. */
  readonly sideBySide?: ReadonlyMap<string, number>;
  /** Nobody tells when its phases begin, and their times come with the answer: a timetable is kept of what was expected. */
  readonly isUntold?: boolean;
  /** While it has fewer, none is held back from it. */
  readonly leastInFlight?: number;
  /**
   * Of models that are computed in passes: how many the passes of all instances take. What batches does far more in a
   * pass of many than in one of few, so while it has fewer than twice as many of a model none of that model is held back:
   * a full pass is under way, and one behind it. With more than three times as many nothing more of it is started: it would
   * only wait there.
   */
  readonly inPasses?: ReadonlyMap<string, number>;
  /** `fifo` uses it only while there is no other. */
  readonly isLastResort?: boolean;
}

/** Of a shard that would come now. */
export interface Expectation {
  /** Until all that waits has gone. */
  readonly waitMs: number;
  readonly finishMs: number;
}

export type Decision =
  | { readonly kind: 'start'; readonly shard: WaitingShard; readonly deviceId: string }
  /** Given back before it costs anything: it can't make its deadline. */
  | { readonly kind: 'late'; readonly shard: WaitingShard }
  /** It needs more memory than the pool, or any device, has in all. */
  | { readonly kind: 'unfit'; readonly shard: WaitingShard }
  /** Nothing to do before this time, unless something else happens. */
  | { readonly kind: 'wait'; readonly untilMs: number };

export interface SchedulerFigures {
  readonly waiting: number;
  readonly inFlight: number;
  readonly started: number;
  readonly late: number;
  readonly unfit: number;
  readonly poolBytes: number;
  readonly poolPeakBytes: number;
  readonly arenaPeakBytes: Readonly<Record<string, number>>;
}

/**
 * Decides which shard starts when and on which device. No clock and no I/O: the caller tells what happens, with
 * times that never go back, and after each event asks `decide` until it says `wait`. Whether phases take turns is
 * `takesTurns`: then the executor asks PhaseTokens before each, else a phase begins when the last one has ended.
 */
export interface Scheduler {
  readonly takesTurns: boolean;
  deviceUp(device: SchedulingDevice): void;
  /** The shards that it had wait again, at their old places; returned in the order in which they came. */
  deviceLost(deviceId: string): readonly WaitingShard[];
  arrive(shard: WaitingShard, nowMs: number): void;
  decide(nowMs: number): Decision;
  phaseStarted(shardId: string, phase: Phase, nowMs: number): void;
  /** `tookMs`: without the wait for its turn. */
  phaseEnded(shardId: string, phase: Phase, tookMs: number): void;
  /** Whatever became of it, waiting or started; frees what it held. Unknown ids are ignored. */
  leave(shardId: string): void;
  /** By the cost model; null while there is no device. */
  expect(model: string, size: number, nowMs: number): Expectation | null;
  figures(): SchedulerFigures;
}
