/**
 * The join in Redis. Every script first compares the epoch, a key without expiry that a Redis which lost
 * its memory doesn't have; an empty argument skips the comparison (rebuild). Keys of a round: `round` (hash:
 * hash, manifest, meta, decision, published), `outcomes` (list in order of arrival) and `seen` (SHA-1 of each).
 * The first command of a script that writes is one that a full Redis refuses: behind any other, it would let all of them pass.
 */
const checkEpoch = `
if ARGV[1] ~= '' and redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'epoch'} end
`;

/** Keys are kept for the longest time that anyone asked for: nothing shortens it, and none is without an end. */
const keep = `
local function keep(key, ms)
  if redis.call('PTTL', key) < tonumber(ms) then redis.call('PEXPIRE', key, ms) end
end
local function decidedUpTo(key, sequence, ms)
  local last = redis.call('GET', key)
  if not last or last < sequence then redis.call('SET', key, sequence, 'KEEPTTL') end
  keep(key, ms)
end
`;

/**
 * KEYS epoch round outcomes seen zone; ARGV epoch manifest hash meta ttlMs sequence. The last element is 1 where
 * a newer round of the zone has been decided. What is known of the round is kept for as long as its new owner asks.
 */
export const openRoundScript = `${checkEpoch}${keep}
local held = redis.call('HMGET', KEYS[2], 'hash', 'decision', 'published', 'meta')
if held[1] and held[1] ~= ARGV[3] then return {'conflict'} end
local isNew = not (held[1] or held[2] or held[3])
if isNew then redis.call('HSET', KEYS[2], 'hash', ARGV[3], 'manifest', ARGV[2], 'meta', ARGV[4]) end
for i = 2, 5 do keep(KEYS[i], ARGV[5]) end
if held[3] then return {'published'} end
if held[2] then return {'decided', held[2], held[4]} end
local outcomes = redis.call('LRANGE', KEYS[3], 0, -1)
local last = redis.call('GET', KEYS[5])
local stale = (last and last > ARGV[6]) and 1 or 0
return {isNew and 'created' or 'open', outcomes, stale}`;

/**
 * KEYS epoch round outcomes seen; ARGV epoch outcome limit earlyMs channel (or empty) roundKey. Outcomes are kept as
 * long as their round; without it, for `earlyMs`.
 */
export const appendOutcomeScript = `${checkEpoch}${keep}
local held = redis.call('HMGET', KEYS[2], 'decision', 'published')
if held[1] or held[2] then return {'decided'} end
local sha1 = redis.sha1hex(ARGV[2])
if redis.call('SISMEMBER', KEYS[4], sha1) == 1 then return {'repeated'} end
if redis.call('LLEN', KEYS[3]) >= tonumber(ARGV[3]) then return {'full'} end
redis.call('RPUSH', KEYS[3], ARGV[2])
redis.call('SADD', KEYS[4], sha1)
local left = redis.call('PTTL', KEYS[2])
local ms = left > 0 and left or ARGV[4]
keep(KEYS[3], ms)
keep(KEYS[4], ms)
if ARGV[5] ~= '' then redis.call('PUBLISH', ARGV[5], ARGV[6]) end
return {'stored'}`;

/**
 * The first caller's decision is the round's. KEYS epoch round outcomes seen zone; ARGV epoch decision
 * sequence stale(0|1) ttlMs. Sequences are texts of equal length, so they compare exactly.
 */
export const closeRoundScript = `${checkEpoch}${keep}
local held = redis.call('HMGET', KEYS[2], 'decision', 'published')
if held[2] then return {'published'} end
if held[1] then return {'decided', held[1]} end
local last = redis.call('GET', KEYS[5])
if last and last > ARGV[3] and ARGV[4] == '0' then return {'stale'} end
redis.call('HSET', KEYS[2], 'decision', ARGV[2])
keep(KEYS[2], ARGV[5])
decidedUpTo(KEYS[5], ARGV[3], ARGV[5])
redis.call('DEL', KEYS[3], KEYS[4])
return {'closed'}`;

/** The decision is on Kafka; only its having been published is kept. KEYS round zone; ARGV sequence ttlMs. */
export const markPublishedScript = `${keep}
redis.call('HSET', KEYS[1], 'published', '1')
redis.call('HDEL', KEYS[1], 'manifest', 'decision')
keep(KEYS[1], ARGV[2])
decidedUpTo(KEYS[2], ARGV[1], ARGV[2])`;

/** KEYS epoch round outcomes; ARGV epoch. */
export const loadRoundScript = `${checkEpoch}
local held = redis.call('HMGET', KEYS[2], 'manifest', 'meta', 'decision', 'published')
return {'round', held[1], held[2], held[3], held[4], redis.call('LRANGE', KEYS[3], 0, -1)}`;

/** KEYS epoch outcomes; ARGV epoch from. */
export const laterOutcomesScript = `${checkEpoch}
return {'outcomes', redis.call('LRANGE', KEYS[2], ARGV[2], -1)}`;
