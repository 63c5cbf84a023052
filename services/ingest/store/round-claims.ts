import { randomUUID } from 'node:crypto';
import type { Redis } from '#lib/redis';
import type { RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { roundKey } from '#schemas/topics';
import { inTime } from './in-time';

/** What is known of a round since its manifest is on Kafka. */
export interface AcceptedRound {
  readonly shards: number;
  readonly candidates: number;
  readonly deadline: number;
}

/** A share in a claim: it ends with a release before anything is sent, else with the claim. */
export interface HeldClaim {
  readonly sequence: bigint;
  /** Of the claim, not of the attempt; null for a claim that nobody may give up. */
  readonly id: string | null;
}

/** `claimed`: new. `pending`: another attempt has not finished; the round keeps the sequence that it had then. */
export type Claim =
  | ({ readonly state: 'claimed' | 'pending' } & HeldClaim)
  | { readonly state: 'conflict' }
  | ({ readonly state: 'accepted' } & AcceptedRound);

/** A claim must not be made after its caller has been told that there is no Redis. */
export const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const;

/**
 * A pending claim without an id is from before claims had one: it has attempts that were not counted. The scripts use no
 * command but those of ingest's user in ops/redis-users.acl, which deployments have from before.
 */
const claimScript = `
local held = redis.call('HMGET', KEYS[1], 'hash', 'state', 'id', 'attempts')
if not held[1] then
  redis.call('HSET', KEYS[1], 'hash', ARGV[1], 'state', 'pending', 'sequence', ARGV[3], 'id', ARGV[4], 'attempts', 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {'claimed', false, false, false, ARGV[3], ARGV[4]}
end
if held[1] ~= ARGV[1] then return {'conflict'} end
if held[2] == 'pending' and held[3] then redis.call('HSET', KEYS[1], 'attempts', held[4] + 1) end
return redis.call('HMGET', KEYS[1], 'state', 'shards', 'candidates', 'deadline', 'sequence', 'id')`;

const releaseScript = `
local claim = redis.call('HMGET', KEYS[1], 'id', 'state', 'attempts')
if claim[1] ~= ARGV[1] or claim[2] ~= 'pending' then return end
if claim[3] == '1' then redis.call('DEL', KEYS[1]) else redis.call('HSET', KEYS[1], 'attempts', claim[3] - 1) end`;

const confirmScript = `
local held = redis.call('HGET', KEYS[1], 'hash')
if held and held ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'accepted', 'shards', ARGV[4], 'candidates', ARGV[5], 'deadline', ARGV[6])
if not held then
  redis.call('HSET', KEYS[1], 'hash', ARGV[1], 'sequence', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1`;

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
 * One content per round. The first attempt claims the round's key with the hash of its content; attempts of the same
 * content join it while it is pending, others conflict. An attempt that fails before it has begun to send gives up its
 * share, and the claim goes with the last share; one that has begun never does, since what it sent may be on Kafka, nor
 * does one that died: then the claim stays until it expires, and only the same content can be sent under its key. Once
 * the manifest is on Kafka the claim is accepted. Every call answers in time or rejects with DEPENDENCY_ABSENT.
 */
export class RoundClaims {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly ttlMs: number,
    private readonly timeoutMs = 2_000,
  ) {}

  async claim(round: ClaimedRound, contentHash: string): Promise<Claim> {
    const args = [contentHash, this.ttlMs, String(round.sequence), randomUUID()];
    const run = this.redis.eval(claimScript, 1, this.keyOf(round), ...args);
    const [state, ...rest] = (await this.inTime(run)) as [Claim['state'], ...(string | null)[]];
    if (state === 'accepted') return { state, ...acceptedOf(rest) };
    if (state === 'conflict') return { state };
    return { state, sequence: BigInt(rest[3] ?? round.sequence), id: rest[4] ?? null };
  }

  /** Also makes a claim that Redis lost. Rejects with ROUND_CONFLICT where it has one of other content by now. */
  async confirm(round: ClaimedRound, contentHash: string, accepted: AcceptedRound): Promise<void> {
    const { shards, candidates, deadline } = accepted;
    const args = [contentHash, this.ttlMs, String(round.sequence), shards, candidates, deadline];
    const isHeld = await this.inTime(this.redis.eval(confirmScript, 1, this.keyOf(round), ...args));
    if (isHeld !== 1) throw new RoundhouseError('ROUND_CONFLICT', 'Redis has a claim of other content');
  }

  /** For an attempt that has sent nothing, once. */
  async release(key: RoundKey, { id }: HeldClaim): Promise<void> {
    if (id !== null) await this.inTime(this.redis.eval(releaseScript, 1, this.keyOf(key), id));
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
