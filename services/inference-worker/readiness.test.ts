import type { EngineClient, ModelState } from '#lib/engine-client/port';
import { EngineLink } from './engine-link';
import { EngineSet } from './placement/engine-set';
import { confinementWarning, engineReadiness, engineWarnings } from './readiness';

const reason = '/models/m/2/network.json:3:1: expected a comma';
const only = (link: EngineLink) => new EngineSet([{ id: 'cpu', link }]);
const row = (version: string, state: string, why = ''): ModelState => ({
  name: 'm',
  version,
  state,
  reason: why,
});

function linkTo(ready: boolean, states: readonly ModelState[]): EngineLink {
  const link = new EngineLink();
  const client = {
    isReady: () => Promise.resolve(ready),
    repositoryIndex: () => Promise.resolve(states),
  } as unknown as EngineClient;
  link.up(client, 'unix:/engine.sock');
  return link;
}

test('what of its confinement an engine lacks is a warning, once for all that lack the same', () => {
  const [one, other] = [new EngineLink(), new EngineLink()];
  const client = {} as EngineClient;
  const both = new EngineSet([
    { id: 'cpu:0', link: one },
    { id: 'cpu:1', link: other },
  ]);
  expect([confinementWarning(undefined), confinementWarning(both)]).toEqual([null, null]);
  for (const link of [one, other]) link.up(client, 'unix:/e', 'cpu', 'files: no Landlock');
  expect(confinementWarning(both)).toMatch(/^an engine is less confined [^;]*: files: no Landlock$/);
  one.down('it ended');
  expect(one.unconfined).toBe('');
  other.up(client, 'unix:/f');
  expect(confinementWarning(both)).toBeNull();
});

test('a version that does not load beside one that serves is a warning, and the worker is ready', async () => {
  const link = linkTo(true, [row('1', 'READY'), row('2', 'UNAVAILABLE', reason), row('3', 'UNLOADING')]);
  expect(await engineReadiness(only(link))).toBeNull();
  expect(await engineWarnings(only(link))).toBe(`m 2: ${reason}`);
});

test('without a fault, without an engine, and with one that hangs up there is none', async () => {
  expect(await engineWarnings(only(linkTo(true, [row('1', 'READY')])))).toBeNull();
  expect(await engineWarnings(undefined)).toBeNull();
  expect(await engineWarnings(only(new EngineLink()))).toBeNull();
  const link = new EngineLink();
  link.up({ repositoryIndex: () => Promise.reject(new Error('gone')) } as unknown as EngineClient, 'unix:/e');
  expect(await engineWarnings(only(link))).toBeNull();
});

test('of several engines those that are down are warnings; without any the worker is not ready', async () => {
  const [up, down] = [linkTo(true, [row('1', 'READY')]), new EngineLink()];
  down.down('the engine ended');
  const engines = new EngineSet([
    { id: 'gpu:0', link: down },
    { id: 'gpu:1', link: up },
  ]);
  expect(await engineReadiness(engines)).toBeNull();
  expect(await engineWarnings(engines)).toBe('gpu:0: the engine ended');
  up.down('it hangs');
  expect(await engineReadiness(engines)).toBe('gpu:0: the engine ended; gpu:1: it hangs');
});
