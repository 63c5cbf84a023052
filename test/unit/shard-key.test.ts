import type { RoundId, RunId, ShardIndex, TenantId } from '#schemas/brands';
import { parseShardKey, shardKey } from '#schemas/topics';

const key = {
  tenantId: 'a b' as TenantId,
  runId: 'run/é' as RunId,
  roundId: '7' as RoundId,
  shardIndex: 12 as ShardIndex,
};

test('a ShardKey comes back from its text', () => {
  expect(parseShardKey(shardKey(key))).toEqual(key);
});

test.each([
  ['', 'nothing'],
  ['nobody', 'no separator'],
  ['t\u001fr\u001f7', 'a part too few'],
  ['t\u001fr\u001f7\u001f1\u001f2', 'a part too many'],
  ['t\u001fr\u001f7\u001f', 'no index'],
  ['t\u001fr\u001f7\u001f-1', 'a negative index'],
  ['t\u001fr\u001f7\u001f1.5', 'a part of an index'],
  ['t\u001fr\u001f7\u001f1e3', 'an index with an exponent'],
  ['t\u001fr\u001f7\u001f1234567890', 'an index of ten digits'],
])('%j is none: %s', (text) => {
  expect(parseShardKey(text)).toBeNull();
});
