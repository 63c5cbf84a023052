import type { Redis } from '#lib/redis';
import { RoundhouseError } from '#schemas/errors';
import type { RoundKey } from '#schemas/domain';
import { roundKey } from '#schemas/topics';

/** `claimed`: new. `pending`: an earlier attempt did not finish. `accepted`: its manifest is on Kafka. */
export type Claim = 'claimed' | 'pending' | 'accepted' | 'conflict';

/** A claim must not be made after its caller has been told that there is no Redis. */
export const failFast = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const;

const claimScript = `
local held = redis.call('HGET', KEYS[1], 'hash')
if not held then
  redis.call('HSET', KEYS[1], 'hash', ARGV[1], 'state', 'pending')
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 'claimed'
end
if held ~= ARGV[1] then return 'conflict' end
return redis.call('HGET', KEYS[1], 'state')`;

const releaseScript = `
local claim = redis.call('HMGET', KEYS[1], 'hash', 'state')
if claim[1] == ARGV[1] and claim[2] == 'pending' then redis.call('DEL', KEYS[1]) end`;

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

  claim(key: RoundKey, contentHash: string): Promise<Claim> {
    const run = this.redis.eval(claimScript, 1, this.keyOf(key), contentHash, this.ttlMs);
    return this.inTime(run as Promise<Claim>);
  }

  async confirm(key: RoundKey): Promise<void> {
    await this.inTime(this.redis.hset(this.keyOf(key), 'state', 'accepted'));
  }

  /** Gives up a claim of which nothing was published. */
  async release(key: RoundKey, contentHash: string): Promise<void> {
    await this.inTime(this.redis.eval(releaseScript, 1, this.keyOf(key), contentHash));
  }

  /** The content hash and state of a round that was submitted, else null. */
  async find(key: RoundKey): Promise<{ readonly hash: string; readonly state: string } | null> {
    const [hash, state] = await this.inTime(this.redis.hmget(this.keyOf(key), 'hash', 'state'));
    return hash && state ? { hash, state } : null;
  }

  async ping(): Promise<void> {
    await this.inTime(this.redis.ping());
  }

  private keyOf(key: RoundKey): string {
    return `${this.prefix}ingest:round:${roundKey(key)}`;
  }

  private inTime<T>(command: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const absent = (reason: string, cause?: unknown) =>
        reject(new RoundhouseError('DEPENDENCY_ABSENT', `Redis: ${reason}`, [], { cause }));
      const timer = setTimeout(() => absent(`no answer in ${this.timeoutMs} ms`), this.timeoutMs);
      command
        .then(resolve, (error: Error) => absent(error.message, error))
        .finally(() => clearTimeout(timer));
    });
  }
}
