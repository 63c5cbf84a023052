import type { Quota } from '#lib/access/access-file';
import type { Redis } from '#lib/redis';
import { RoundhouseError } from '#schemas/errors';
import { QuotaExceeded } from '#lib/access/quota-exceeded';
import { inTime } from './in-time';

const minuteMs = 60_000;
const timeoutMs = 2_000;

/**
 * What was taken flows off steadily, a whole quota in a minute; `full` is when it will all have, in ms of Redis'
 * clock. All quotas are taken or none; the last argument is 1 where it is owed whatever there is. Returns 0, or after
 * how many ms there is room.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local names = {'rounds', 'bytes', 'candidates'}
local held = redis.call('HMGET', KEYS[1], unpack(names))
local wait, last, fields = 0, now, {}
for i, name in ipairs(names) do
  local quota, count = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local full = math.max(now, tonumber(held[i]) or 0)
  if quota > 0 then
    full = full + count * ${minuteMs} / quota
    wait = math.max(wait, math.ceil(full - now - ${minuteMs}))
  end
  last = math.max(last, full)
  fields[2 * i - 1], fields[2 * i] = name, string.format('%.3f', full)
end
if wait > 0 and ARGV[7] == '0' then return wait end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], math.ceil(last - now) + ${minuteMs})
return 0`;

export interface Taken {
  readonly rounds: number;
  readonly bytes: number;
}

const minutes: readonly (readonly [keyof Quota, string])[] = [
  ['roundsPerMinute', 'rounds'],
  ['bytesPerMinute', 'bytes'],
  ['candidatesPerMinute', 'candidates'],
];

function isUnlimited(quota: Quota): boolean {
  return minutes.every(([name]) => quota[name] === null);
}

/** Quotas of a minute, which all ingests share. */
export class TenantQuota {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  /**
   * Candidates are known once a round is cut: a round is let in while no more of them is owed than a minute's. Rejects
   * with QUOTA_EXCEEDED, ROUND_TOO_LARGE where no minute has so much, or DEPENDENCY_ABSENT.
   */
  async take(tenant: string, quota: Quota, { rounds, bytes }: Taken): Promise<void> {
    const { bytesPerMinute } = quota;
    if (isUnlimited(quota)) return;
    if (bytesPerMinute !== null && bytes > bytesPerMinute)
      throw new RoundhouseError(
        'ROUND_TOO_LARGE',
        `${bytes} bytes, the quota of a minute is ${bytesPerMinute}`,
      );
    const waitMs = await this.run(tenant, quota, [rounds, bytes, 0], false);
    if (waitMs === 0) return;
    const what = minutes.flatMap(([name, noun]) => (quota[name] === null ? [] : [`${quota[name]} ${noun}`]));
    throw new QuotaExceeded(`${what.join(' and ')} a minute`, waitMs);
  }

  /** What a round that was let in turned out to have; owed also where it is more than a minute's. */
  async owe(tenant: string, quota: Quota, candidates: number): Promise<void> {
    if (quota.candidatesPerMinute !== null) await this.run(tenant, quota, [0, 0, candidates], true);
  }

  private async run(
    tenant: string,
    quota: Quota,
    counts: readonly number[],
    isOwed: boolean,
  ): Promise<number> {
    const pairs = minutes.flatMap(([name], at) => [quota[name] ?? 0, counts[at]!]);
    const key = `${this.prefix}ingest:quota:${tenant}`;
    const asked = this.redis.eval(takeScript, 1, key, ...pairs, isOwed ? 1 : 0);
    return Number(await inTime(asked, timeoutMs));
  }
}
