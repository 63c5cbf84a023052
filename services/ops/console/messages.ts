import type { Episode, Standing } from '#policy/operations/episodes';
import type { Line } from '#policy/operations/signals';
import type { FigureId, Figures } from '../figures/figures';
import type { RoundState, RoundView } from '../rounds/round-view';
import type { EngineFacts, IncidentFacts } from '../scrape/scrape-service';

/** What goes to the console's page, as JSON. The page imports these types and nothing else of the service. */
export type { Episode, FigureId, Figures, Line, RoundState, RoundView };

/** `bad`: rounds suffer or will soon; `warn`: something is wrong beside them. */
export type Level = 'ok' | 'warn' | 'bad';

/** What is wrong now, by its cause. */
export type Problem = Standing;

export interface ServiceView {
  readonly name: string;
  readonly service: string | null;
  readonly version: string | null;
  readonly state: 'ready' | 'not_ready' | 'silent';
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly residentBytes: number | null;
  /** Unix ms. */
  readonly startedAt: number | null;
  /** Of one processor. */
  readonly cpu: number | null;
}

export interface EngineView extends EngineFacts {
  readonly worker: string;
  readonly pid: number | null;
  readonly standby: boolean;
  readonly queued: number;
  readonly inCore: number;
}

export interface IncidentView extends IncidentFacts {
  readonly worker: string;
}

export interface PartitionView {
  readonly partition: number;
  readonly state: 'committed' | 'none' | 'expired' | 'beyond_end';
  /** 64-bit integers, as digits. */
  readonly committed: string | null;
  readonly end: string;
  readonly lag: string | null;
}

export interface GroupView {
  readonly groupId: string;
  readonly topic: string;
  readonly members: number;
  readonly backlog: number;
  readonly secondsBehind: number;
  readonly partitions: readonly PartitionView[];
}

/** A topic on the way of a round. */
export interface StageView {
  /** Messages a second that come, and that its readers take; null before the second look. */
  readonly inRate: number | null;
  readonly outRate: number | null;
  readonly waiting: number;
  readonly secondsBehind: number;
  /** Processes that read it as a group; null for decisions, which anybody may read. */
  readonly members: number | null;
}

export type WayTopic = 'rounds' | 'shards' | 'outcomes' | 'decisions';

export interface RoundCounts {
  readonly waiting: number;
  readonly atRisk: number;
  readonly overdue: number;
}

/** At every look. */
export interface Tick {
  readonly at: number;
  readonly level: Level;
  readonly problems: readonly Problem[];
  /** What was wrong of late, the newest first; absent where it is as it was at the look before. */
  readonly recent?: readonly Episode[];
  /** Why a restart of the console would lose them; null where it doesn't. */
  readonly forgets: string | null;
  readonly figures: Figures;
  readonly way: Readonly<Record<WayTopic, StageView | null>>;
  readonly counts: RoundCounts;
  readonly services: readonly ServiceView[];
  readonly engines: readonly EngineView[];
  /** The newest first; absent where they are as they were at the look before. */
  readonly incidents?: readonly IncidentView[];
  readonly groups: readonly GroupView[];
  /** Those that changed since the last one, the newest last. */
  readonly rounds: readonly RoundView[];
}

/** First of all, and after a break. */
export interface Snapshot extends Tick {
  readonly recent: readonly Episode[];
  readonly incidents: readonly IncidentView[];
  readonly prefix: string;
  readonly intervalMs: number;
  readonly history: {
    readonly at: readonly number[];
    readonly figures: Readonly<Record<FigureId, readonly (number | null)[]>>;
  };
}

/** A shard on its way. Times are Unix ms, those of the backend with fractions. */
export interface ShardTrack {
  readonly index: number;
  readonly appendedAt: number | null;
  readonly backend: { readonly start: number; readonly end: number } | null;
  readonly answeredAt: number | null;
  readonly status: string | null;
  readonly code: string | null;
  readonly candidates: number | null;
  readonly host: string | null;
}

export interface RoundDetail {
  readonly round: RoundView;
  readonly state: RoundState;
  readonly shards: readonly ShardTrack[];
  /** Why shards are missing; null where all that is kept was read. */
  readonly fault: string | null;
}
