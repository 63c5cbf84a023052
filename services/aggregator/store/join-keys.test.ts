import type { RunId, TenantId, ZoneId } from '#schemas/brands';
import { JoinKeys, sortableSequence } from './join-keys';

test('sequences as texts sort as the numbers do, over all of int64', () => {
  const sequences = [
    -(2n ** 63n),
    -(2n ** 53n) - 1n,
    -2n,
    -1n,
    0n,
    1n,
    9n,
    10n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
  ];
  const texts = sequences.map(sortableSequence);
  expect([...texts].sort()).toEqual(texts);
  expect(new Set(texts.map((text) => text.length))).toEqual(new Set([20]));
});

test('a run has zones of its own, and ids can not run into each other', () => {
  const keys = new JoinKeys('p.');
  const zone = (tenantId: string, runId: string, zoneId: string) =>
    keys.zone({ tenantId: tenantId as TenantId, runId: runId as RunId, zoneId: zoneId as ZoneId });
  expect(zone('t', 'r1', 'z')).not.toBe(zone('t', 'r2', 'z'));
  expect(zone('t', 'r', ':z')).not.toBe(zone('t', 'r:', 'z'));
  expect(keys.round('k').startsWith('p.')).toBe(true);
});
