import type { Quota } from '#lib/access/access-file';
import type { Redis } from '#lib/redis';
import { RoundhouseError } from '#schemas/errors';
import { QuotaExceeded } from '../access/quota-exceeded';
import { inTime } from './in-time';

const minuteMs = 60_000;
const timeoutMs = 2_000;

/**
 * What was taken flows off steadily, a whole quota in a minute; `full` is when it will all have, in ms of Redis'
 * clock. Both quotas are taken or none. Returns 0, or after how many ms there is room.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'rounds', 'bytes')
local wait, full = 0, {}
for i = 1, 2 do
  local quota, count = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  full[i] = math.max(now, tonumber(held[i]) or 0)
  if quota > 0 then
    full[i] = full[i] + count * ${minuteMs} / quota
    wait = math.max(wait, math.ceil(full[i] - now - ${minuteMs}))
  end
end
if wait > 0 then return wait end
redis.call('HSET', KEYS[1], 'rounds', string.format('%.3f', full[1]), 'bytes', string.format('%.3f', full[2]))
redis.call('PEXPIRE', KEYS[1], ${2 * minuteMs})
return 0`;

export interface Taken {
  readonly rounds: number;
  readonly bytes: number;
}

/** Quotas of a minute, which all ingests share. */
export class TenantQuota {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  /** Rejects with QUOTA_EXCEEDED, ROUND_TOO_LARGE where no minute has so much, or DEPENDENCY_ABSENT. */
  async take(tenant: string, quota: Quota, { rounds, bytes }: Taken): Promise<void> {
    const { roundsPerMinute, bytesPerMinute } = quota;
    if (roundsPerMinute === null && bytesPerMinute === null) return;
    if (bytesPerMinute !== null && bytes > bytesPerMinute)
      throw new RoundhouseError(
        'ROUND_TOO_LARGE',
        `${bytes} bytes, the quota of a minute is ${bytesPerMinute}`,
      );
    const key = `${this.prefix}ingest:quota:${tenant}`;
    const args = [roundsPerMinute ?? 0, rounds, bytesPerMinute ?? 0, bytes];
    const waitMs = Number(await inTime(this.redis.eval(takeScript, 1, key, ...args), timeoutMs));
    if (waitMs === 0) return;
    const what = [
      ...(roundsPerMinute === null ? [] : [`${roundsPerMinute} rounds`]),
      ...(bytesPerMinute === null ? [] : [`${bytesPerMinute} bytes`]),
    ];
    throw new QuotaExceeded(`${what.join(' and ')} a minute`, waitMs);
  }
}
