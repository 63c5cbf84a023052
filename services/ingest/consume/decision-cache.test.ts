import type { RoundId, RunId, TenantId, UnixMs } from '#schemas/brands';
import { decisionsCodec } from '#schemas/codec';
import type { Decision } from '#schemas/domain';
import { decision as sample } from '../../../test/unit/codec/samples';
import { DecisionCache } from './decision-cache';

let now = 1_000_000;
const keyOf = (roundId: string) => ({
  tenantId: 't' as TenantId,
  runId: 'r' as RunId,
  roundId: roundId as RoundId,
});

function cacheOf(maxBytes: number, ttlMs = 1_000) {
  const cache = new DecisionCache({ ttlMs, maxBytes }, () => now);
  const add = (roundId: string) => {
    const decision: Decision = { ...sample, ...keyOf(roundId) };
    const record = { decision, appendedAt: now as UnixMs, closedAt: undefined, outage: undefined };
    return cache.add(record, decisionsCodec.encode(decision));
  };
  return { cache, add };
}
const bytes = decisionsCodec.encode({ ...sample, ...keyOf('a') }).length;

test('a decision that left for want of room is gone, and does not come back', () => {
  const { cache, add } = cacheOf(2 * bytes);
  expect(['a', 'b', 'c'].map(add)).toEqual([true, true, true]);
  expect(cache.find(keyOf('a'))).toBeNull();
  expect([...'abcd'].map((id) => cache.isGone(keyOf(id), undefined))).toEqual([true, false, false, false]);
  expect(add('a')).toBe(false);
});

test('a decision that is older than what is kept is gone', () => {
  const { cache, add } = cacheOf(100 * bytes);
  add('a');
  now += 1_000;
  expect(cache.isGone(keyOf('a'), undefined)).toBe(false);
  now += 1;
  expect(cache.isGone(keyOf('a'), undefined)).toBe(true);
});

test('where none was seen, its deadline says whether it can still come', () => {
  const { cache } = cacheOf(100 * bytes);
  expect(cache.isGone(keyOf('x'), now - 1_000)).toBe(false);
  expect(cache.isGone(keyOf('x'), now - 1_001)).toBe(true);
  expect(cache.isGone(keyOf('x'), undefined)).toBe(false);
});
