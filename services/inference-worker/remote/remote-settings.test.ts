import { loadConfig } from '#lib/config';
import { projectPath } from '#schemas/project-root';
import { remoteSettings } from './remote-settings';

const load = (env: Readonly<Record<string, string>>) => loadConfig(env, remoteSettings);

test('none by default', () => {
  expect(load({})).toEqual({ remoteEngines: { kind: 'none' }, announcedAddress: '', remoteLeaseMs: 3_000 });
});

test('Redis, or a file below the root of the project', () => {
  expect(load({ ROUNDHOUSE_REMOTE_ENGINES: 'redis' }).remoteEngines).toEqual({ kind: 'redis' });
  expect(load({ ROUNDHOUSE_REMOTE_ENGINES: 'file:a/b.json' }).remoteEngines).toEqual({
    kind: 'file',
    path: projectPath('a', 'b.json'),
  });
  expect(load({ ROUNDHOUSE_REMOTE_ENGINES: 'file:/etc/remotes.json' }).remoteEngines).toEqual({
    kind: 'file',
    path: '/etc/remotes.json',
  });
});

test.each([
  ['ROUNDHOUSE_REMOTE_ENGINES', 'kafka'],
  ['ROUNDHOUSE_REMOTE_ENGINES', 'file:'],
  ['ROUNDHOUSE_ANNOUNCED_ADDRESS', 'host'],
  ['ROUNDHOUSE_ANNOUNCED_ADDRESS', 'http://host:80'],
  ['ROUNDHOUSE_REMOTE_LEASE_MS', '10'],
])('%s=%s is refused', (key, value) => {
  expect(() => load({ [key]: value })).toThrow(new RegExp(key));
});
