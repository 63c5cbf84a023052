import type { Redis } from '#lib/redis';
import type { RoundKey } from '#schemas/domain';
import { roundKey } from '#schemas/topics';
import { inTime } from './in-time';

/** What is known of a round since its manifest is on Kafka. */
export interface AcceptedRound {
  readonly shards: number;
  readonly candidates: number;
  readonly deadline: number;
}

/** `claimed`: new. `pending`: an earlier attempt did not finish; the round keeps the sequence that it had then. */
export type Claim =
  | { readonly state: 'claimed' | 'pending'; readonly sequence: bigint }
  | { readonly state: 'conflict' }
  | ({ readonly state: 'accepted' } & AcceptedRound);

/** A claim must not be made after its caller has been told that there is no Redis. */
export const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const;

const claimScript = `
local held = redis.call('HGET', KEYS[1], 'hash')
if not held then
  redis.call('HSET', KEYS[1], 'hash', ARGV[1], 'state', 'pending', 'sequence', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {'claimed', false, false, false, ARGV[3]}
end
if held ~= ARGV[1] then return {'conflict'} end
return redis.call('HMGET', KEYS[1], 'state', 'shards', 'candidates', 'deadline', 'sequence')`;

const releaseScript = `
local claim = redis.call('HMGET', KEYS[1], 'hash', 'state')
if claim[1] == ARGV[1] and claim[2] == 'pending' then redis.call('DEL', KEYS[1]) end`;

const PROBE_TTL_MS = 60_000;

type ClaimedRound = RoundKey & { readonly sequence: bigint };

export interface FoundClaim {
  readonly hash: string;
  readonly accepted: AcceptedRound | null;
}

function acceptedOf(fields: readonly (string | null | undefined)[]): AcceptedRound {
  const [shards = 0, candidates = 0, deadline = 0] = fields.map(Number);
  return { shards, candidates, deadline };
}

/**
 * One content per round: the first submission claims the round's key with the hash of its content, and is
 * confirmed when the manifest is on Kafka. Every call answers in time or rejects with DEPENDENCY_ABSENT.
 */
export class RoundClaims {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly ttlMs: number,
    private readonly timeoutMs = 2_000,
  ) {}

  async claim(round: ClaimedRound, contentHash: string): Promise<Claim> {
    const args = [contentHash, this.ttlMs, String(round.sequence)];
    const run = this.redis.eval(claimScript, 1, this.keyOf(round), ...args);
    const [state, ...rest] = (await this.inTime(run)) as [Claim['state'], ...(string | null)[]];
    if (state === 'accepted') return { state, ...acceptedOf(rest) };
    return state === 'conflict' ? { state } : { state, sequence: BigInt(rest[3] ?? round.sequence) };
  }

  async confirm(key: RoundKey, round: AcceptedRound): Promise<void> {
    await this.inTime(this.redis.hset(this.keyOf(key), { state: 'accepted', ...round }));
  }

  /** Gives up a claim of which nothing was published. */
  async release(key: RoundKey, contentHash: string): Promise<void> {
    await this.inTime(this.redis.eval(releaseScript, 1, this.keyOf(key), contentHash));
  }

  /** The content hash of a round that was submitted, and what is known of it once accepted, else null. */
  async find(key: RoundKey): Promise<FoundClaim | null> {
    const fields = ['hash', 'state', 'shards', 'candidates', 'deadline'];
    const [hash, state, ...rest] = await this.inTime(this.redis.hmget(this.keyOf(key), ...fields));
    if (!hash) return null;
    return { hash, accepted: state === 'accepted' ? acceptedOf(rest) : null };
  }

  /** A full or read-only Redis answers a ping, too: only a write shows that claims can be made. */
  async tryWrite(): Promise<void> {
    const key = `${this.prefix}ingest:readiness`;
    await this.inTime(this.redis.set(key, Date.now(), 'PX', PROBE_TTL_MS));
  }

  private keyOf(key: RoundKey): string {
    return `${this.prefix}ingest:round:${roundKey(key)}`;
  }

  private inTime<T>(command: Promise<T>): Promise<T> {
    return inTime(command, this.timeoutMs);
  }
}
