import type { Redis } from '#lib/redis';

/** Null when Redis keeps what it is given; else why the join can't rely on it. */
export async function evictionFault(redis: Redis): Promise<string | null> {
  const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
  if (policy === undefined || policy === 'noeviction') return null;
  return `Redis may evict keys of open rounds: maxmemory-policy is ${policy}, noeviction is needed`;
}
