import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_DEADLINE_AHEAD_MS } from '#lib/deadline-settings';
import type { Redis } from '#lib/redis';
import type { DispatchRound } from '#schemas/domain';
import { JoinKeys, sortableSequence } from './join-keys';
import {
  appendOutcomeScript,
  closeRoundScript,
  laterOutcomesScript,
  loadRoundScript,
  markPublishedScript,
  openRoundScript,
} from './scripts';

/** Enough for every shard's first outcome among repeated and invalid ones. */
const OUTCOMES_PER_SHARD = 4;
/** No round has nearly as many outcomes as four times this: what an outcome says of its round's shards counts up to here. */
const MOST_SHARDS = 4_096;
const SPARE_OUTCOMES = 256;
const REFUSED_PAUSE_MS = 100;

/** `[Buffer, …]` of ours; that of another command may be anything. */
type Reply = unknown;

const isAlone = (value: unknown): boolean => value === undefined;

/** What each script may answer, and what comes with it; anything else is the answer to another command. */
const answers: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  rhOpenRound: {
    ...{ created: Array.isArray, open: Array.isArray, decided: Buffer.isBuffer },
    ...{ published: isAlone, conflict: isAlone },
  },
  rhAppendOutcome: { stored: isAlone, repeated: isAlone, decided: isAlone, full: isAlone },
  rhCloseRound: { closed: isAlone, decided: Buffer.isBuffer, published: isAlone, stale: isAlone },
  rhLoadRound: { round: () => true },
  rhLaterOutcomes: { outcomes: Array.isArray },
};

type Command = (numberOfKeysAndArguments: readonly (string | number | Buffer)[]) => Promise<Reply>;

export interface StoredRound {
  readonly manifest: Buffer | null;
  readonly meta: Buffer | null;
  readonly decision: Buffer | null;
  readonly isPublished: boolean;
  readonly outcomes: readonly Buffer[];
}

export interface RoundToStore {
  readonly key: string;
  readonly round: DispatchRound;
  readonly manifest: Buffer;
  readonly hash: string;
  readonly meta: string;
}

export type OpenReply =
  | { readonly state: 'created' | 'open'; readonly outcomes: readonly Buffer[]; readonly isStale: boolean }
  | { readonly state: 'decided'; readonly decision: Buffer }
  | { readonly state: 'published' | 'conflict' };

export type CloseReply =
  | { readonly state: 'closed' | 'published' | 'stale' }
  | { readonly state: 'decided'; readonly decision: Buffer };

/**
 * The join in Redis: manifests, outcomes in order of arrival, the outbox of decisions and the last decided
 * sequence of each zone. Commands wait while Redis is away or refuses them. When Redis has lost its memory, `rebuild` is
 * called before the command is tried again.
 */
export class JoinStore {
  readonly keys: JoinKeys;
  /** Set at the start: puts back the rounds in memory, then the new epoch is made. */
  rebuild: () => Promise<void> = () => Promise.resolve();
  /** Set at the start: marks what was decided before; rounds that come wait for it. Never rejects. */
  recall: () => Promise<void> = () => Promise.resolve();
  /** Told of a command that Redis refused from then on until now. */
  tookLate: (since: number) => void = () => undefined;
  /** Told each time that Redis refuses a command, which is then given to it again. */
  refused: (reason: string) => void = () => undefined;
  /** Set at the start: the latest deadline of the rounds in memory that may hold back this one's offset once it is decided. */
  openUntil: (key: string) => number = () => 0;
  private recalled: Promise<void> = Promise.resolve();
  private epoch: { readonly text: string; readonly createdAt: number } | null = null;
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly redis: Redis,
    prefix: string,
    /** How long keys outlast the deadlines. */
    private readonly ttlMs: number,
    /** How long an outcome waits for its round. */
    private readonly earlyMs: number = ttlMs,
  ) {
    this.keys = new JoinKeys(prefix);
    const define = (name: string, lua: string) => redis.defineCommand(name, { lua });
    define('rhOpenRound', openRoundScript);
    define('rhAppendOutcome', appendOutcomeScript);
    define('rhCloseRound', closeRoundScript);
    define('rhMarkPublished', markPublishedScript);
    define('rhLoadRound', loadRoundScript);
    define('rhLaterOutcomes', laterOutcomesScript);
  }

  /** Unix ms since which Redis has kept everything. */
  get rememberedSince(): number {
    return this.epoch?.createdAt ?? Infinity;
  }

  async open(stored: RoundToStore): Promise<OpenReply> {
    const { key, round } = stored;
    const keys = [...this.roundKeys(key), this.keys.zone(round)];
    const args = openArguments(stored, this.keptMs(key, round));
    const [state, value, stale] = await this.run('rhOpenRound', keys, args, true);
    if (state === 'decided') return { state, decision: value as Buffer };
    if (state === 'created' || state === 'open') {
      return { state, outcomes: value as Buffer[], isStale: Number(stale) === 1 };
    }
    return { state: state as 'published' | 'conflict' };
  }

  /** With `notify`, the instance that has the round in memory is told. */
  async append(
    key: string,
    outcome: Buffer,
    shardCount: number,
    notify: boolean,
  ): Promise<'stored' | 'repeated' | 'decided' | 'full'> {
    const limit = Math.min(shardCount, MOST_SHARDS) * OUTCOMES_PER_SHARD + SPARE_OUTCOMES;
    const [state] = await this.run('rhAppendOutcome', this.roundKeys(key), [
      outcome,
      limit,
      this.earlyMs,
      notify ? this.keys.channel() : '',
      key,
    ]);
    return state as 'stored' | 'repeated' | 'decided' | 'full';
  }

  async close(key: string, round: DispatchRound, decision: Buffer, stale: boolean): Promise<CloseReply> {
    const keys = [...this.roundKeys(key), this.keys.zone(round)];
    const args = [decision, sortableSequence(round.sequence), stale ? 1 : 0, this.keptMs(key, round)];
    const [state, held] = await this.run('rhCloseRound', keys, args);
    if (state === 'decided') return { state, decision: held as Buffer };
    return { state: state as 'closed' | 'published' | 'stale' };
  }

  /** Also recovers a zone's sequence where the round is given. */
  async markPublished(
    key: string,
    round: Parameters<JoinKeys['zone']>[0] & { readonly sequence: bigint; readonly deadline?: number },
  ): Promise<void> {
    const sequence = sortableSequence(round.sequence);
    const args = [this.keys.round(key), this.keys.zone(round), sequence, this.keptMs(key, round)];
    await this.command('rhMarkPublished')([2, ...args]);
  }

  async load(key: string): Promise<StoredRound> {
    const keys = [this.keys.round(key), this.keys.outcomes(key)];
    const [, manifest, meta, decision, published, outcomes] = await this.run('rhLoadRound', keys, []);
    return {
      manifest: manifest as Buffer | null,
      meta: meta as Buffer | null,
      decision: decision as Buffer | null,
      isPublished: published !== null,
      outcomes: outcomes as Buffer[],
    };
  }

  /** Outcomes of a round from a position of its list on. */
  async outcomesFrom(key: string, from: number): Promise<readonly Buffer[]> {
    const [, outcomes] = await this.run('rhLaterOutcomes', [this.keys.outcomes(key)], [from]);
    return outcomes as Buffer[];
  }

  /** For the rebuild only: puts a round back that this instance has in memory. */
  async putBack(stored: RoundToStore, outcomes: readonly Buffer[], decision: Buffer | null): Promise<void> {
    const { key, round } = stored;
    const keys = [this.keys.epoch(), ...this.roundKeys(key), this.keys.zone(round)];
    const ttlMs = this.keptMs(key, round);
    await this.command('rhOpenRound')([5, ...keys, '', ...openArguments(stored, ttlMs)]);
    if (decision !== null) {
      const args = ['', decision, sortableSequence(round.sequence), 1, ttlMs];
      await this.command('rhCloseRound')([5, ...keys, ...args]);
      return;
    }
    const append = [this.keys.epoch(), ...this.roundKeys(key), ''];
    const limit = Number.MAX_SAFE_INTEGER;
    for (const outcome of outcomes) {
      await this.command('rhAppendOutcome')([4, ...append, outcome, limit, ttlMs, '', key]);
    }
  }

  /** Learns the epoch; rebuilds where there is none. */
  async ready(): Promise<void> {
    await this.renew(null);
  }

  /** The time to the round's deadline, or to a later one of a round that may hold back its offset, and then the time that is configured. */
  private keptMs(key: string, { deadline = 0 }: { readonly deadline?: number }): number {
    const leftMs = Math.max(deadline, this.openUntil(key)) - Date.now();
    return Math.min(Math.max(0, Math.ceil(leftMs)), LONGEST_DEADLINE_AHEAD_MS) + this.ttlMs;
  }

  private roundKeys(key: string): string[] {
    return [this.keys.round(key), this.keys.outcomes(key), this.keys.seen(key)];
  }

  private async run(
    name: string,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
    needsRecall = false,
  ): Promise<[string, ...unknown[]]> {
    for (;;) {
      if (this.renewing !== null) await this.renewing;
      if (needsRecall) await this.recalled;
      const epoch = this.epoch?.text ?? 'unknown';
      const all = [keys.length + 1, this.keys.epoch(), ...keys, epoch, ...args];
      const [state, ...rest] = stateFirst(await this.untilTaken(name, all));
      if (answers[name]![state]?.(rest[0]) === true) return [state, ...rest];
      if (state === 'epoch') await this.renew(epoch);
      else this.outOfStep(name, state);
    }
  }

  /** Answers that aren't those of their commands would lose rounds: the connection is made anew, and the command given again. */
  private outOfStep(name: string, state: string): void {
    this.refused(`answered ${name} with ${state.slice(0, 20)}, as another command`);
    this.redis.disconnect(true);
  }

  /** A Redis that answers with errors (full, read-only) is asked until it takes the command. */
  private async untilTaken(name: string, all: readonly (string | number | Buffer)[]): Promise<Reply> {
    const since = Date.now();
    for (let refused = false; ; refused = true) {
      try {
        const reply = await this.command(name)(all);
        if (refused) this.tookLate(since);
        return reply;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
        this.refused(error.message);
        await sleep(REFUSED_PAUSE_MS);
      }
    }
  }

  /** One at a time; does nothing where another call already left `lost` behind. */
  private renew(lost: string | null): Promise<void> {
    if (lost !== null && this.epoch !== null && this.epoch.text !== lost) return Promise.resolve();
    this.renewing ??= this.makeEpoch().finally(() => (this.renewing = null));
    return this.renewing;
  }

  private async makeEpoch(): Promise<void> {
    const key = this.keys.epoch();
    const held = await this.redis.get(key);
    const isNew = held === null;
    if (isNew || this.epoch !== null) await this.rebuild();
    if (isNew) await this.redis.set(key, `${Date.now()} ${randomUUID()}`, 'NX');
    const text = (await this.redis.get(key)) ?? 'unknown';
    this.epoch = { text, createdAt: Number(text.split(' ')[0]) || Infinity };
    if ((await this.redis.get(this.keys.recalled())) !== text) this.recalled = this.recallInto(text);
  }

  private async recallInto(epoch: string): Promise<void> {
    await this.recall();
    await this.redis.set(this.keys.recalled(), epoch).catch(() => undefined);
  }

  private command(name: string): Command {
    const client = this.redis as unknown as Record<string, (...args: unknown[]) => Promise<Reply>>;
    return (args) => client[`${name}Buffer`]!(...args);
  }
}

function stateFirst(reply: Reply): [string, ...unknown[]] {
  if (!Array.isArray(reply)) return [String(reply)];
  return [String(reply[0]), ...(reply.slice(1) as unknown[])];
}

function openArguments(
  { manifest, hash, meta, round }: RoundToStore,
  ttlMs: number,
): (string | number | Buffer)[] {
  return [manifest, hash, meta, ttlMs, sortableSequence(round.sequence)];
}
