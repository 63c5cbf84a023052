import { loadOpsConfig } from './config';

test('targets and groups are read, each by its name', () => {
  const { targets, groups } = loadOpsConfig({
    ROUNDHOUSE_OPS_TARGETS: 'ingest=http://a:8080, worker=dns+http://workers:8090/',
    ROUNDHOUSE_OPS_CONSUMER_GROUPS: 'billing@orders,audit@dispatch.decisions',
  });
  expect(targets).toEqual([
    { name: 'ingest', url: 'http://a:8080' },
    { name: 'worker', url: 'dns+http://workers:8090' },
  ]);
  expect(groups).toEqual([
    { groupId: 'billing', topic: 'orders' },
    { groupId: 'audit', topic: 'dispatch.decisions' },
  ]);
});

test('by default the services at their default ports, and no groups of others', () => {
  const { targets, groups, httpPort } = loadOpsConfig({});
  expect(targets.map(({ url }) => url)).toEqual([8080, 8090, 8070].map((port) => `http://127.0.0.1:${port}`));
  expect([groups, httpPort]).toEqual([[], 8060]);
});

const many = (count: number, one: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(',');

test.each([
  ['ROUNDHOUSE_OPS_TARGETS', 'http://a:8080'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=ftp://a'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http://a/path'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http://user:secret@a'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http://:secret@a'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http://a/#x'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http://a?'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http://a:0'],
  ['ROUNDHOUSE_OPS_TARGETS', 'ingest=http:a'],
  ['ROUNDHOUSE_OPS_TARGETS', 'worker=dns+http://a:99999'],
  ['ROUNDHOUSE_OPS_TARGETS', 'worker=dns+http://a%zz'],
  ['ROUNDHOUSE_OPS_TARGETS', 'Ingest=http://a'],
  ['ROUNDHOUSE_OPS_TARGETS', 'a=http://a,a=http://b'],
  ['ROUNDHOUSE_OPS_TARGETS', 'a=http://a,'],
  ['ROUNDHOUSE_OPS_TARGETS', many(65, (i) => `t${i}=http://a`)],
  ['ROUNDHOUSE_OPS_CONSUMER_GROUPS', 'billing'],
  ['ROUNDHOUSE_OPS_CONSUMER_GROUPS', 'billing@orders@x'],
  ['ROUNDHOUSE_OPS_CONSUMER_GROUPS', 'bil ling@orders'],
  ['ROUNDHOUSE_OPS_CONSUMER_GROUPS', many(51, (i) => `g${i}@t`)],
  ['ROUNDHOUSE_OPS_INTERVAL_MS', '10'],
  ['ROUNDHOUSE_OPS_HTTP_PORT', '65536'],
])('%s=%s is refused, and no secret of it is shown', (key, value) => {
  const load = () => loadOpsConfig({ [key]: value });
  expect(load).toThrow(key);
  expect(load).not.toThrow('secret');
});
