/** What a scheduler may use, and how far it looks. */
export interface SchedulerSettings {
  /** Of the shared-memory pool. */
  readonly poolBytes: number;
  /** Processors for decoding and encoding. */
  readonly cores: number;
  /** So many shards that came later may be started before one; the next start is its own. */
  readonly mostPasses: number;
  /** One that has been passed so often is started so many times earlier than others; until then nothing else is. */
  readonly overdueFactor: number;
  /** Cost classes looked at in one decision. */
  readonly lookAhead: number;
  /** A shard is started so long before its phases find their resources free … */
  readonly cushionMs: number;
  /** … plus this share of the longest phase that waits or is under way. */
  readonly cushionShare: number;
  /** After so many of a class that were late by prediction one is started all the same, so that it is learned from. */
  readonly probeEvery: number;
  /** How much longer than that it may wait between phases, as a share of the same phase. */
  readonly bufferShare: number;
  /** A shard comes before others by so many times its own length. */
  readonly headStart: number;
}

export const defaultSettings = {
  mostPasses: 16,
  overdueFactor: 4,
  lookAhead: 32,
  cushionMs: 0.5,
  cushionShare: 4,
  probeEvery: 16,
  bufferShare: 3,
  headStart: 1,
} as const;
