import type { EngineClient } from '#lib/engine-client/port';
import { Router } from '#policy/balancing/router';
import { ModelCheck } from './model-check';
import { RemoteEngine } from './remote-engine';
import type { RemoteEntry } from './remote-entry';
import { RemoteSet } from './remote-set';

const entry = (name: string, address: string): RemoteEntry => ({ name, address, kind: 'worker', device: '' });
const sets: RemoteSet[] = [];
afterEach(() => Promise.all(sets.splice(0).map((set) => set.close())));

/** `isLive` and `why` of every remote. */
function setWith(isLive: () => boolean, why: () => string | null = () => null, isOwn = (_: string) => false) {
  const told: string[] = [];
  const client = { isLive: () => Promise.resolve(isLive()), close: () => Promise.resolve() };
  const set = new RemoteSet({
    router: new Router(() => 0),
    connect: (of) =>
      new RemoteEngine(
        of,
        client as unknown as EngineClient,
        new ModelCheck(() => Promise.resolve(null)),
        why,
      ),
    isOwn,
    events: {
      RemoteFound: ({ name }) => void told.push(`found ${name}`),
      RemoteGone: ({ name }) => void told.push(`gone ${name}`),
      RemoteUsable: () => undefined,
      RemotesKnown: () => undefined,
      RemoteIsOwn: ({ name, address }) => void told.push(`own ${name} ${address}`),
      RemoteSilent: ({ name, reason }) => void told.push(`silent ${name}: ${reason}`),
    },
  });
  sets.push(set);
  return { set, told };
}

test('a worker that is listed among its own remotes is left out, and told once', () => {
  let own = 'host:1';
  const { set, told } = setWith(
    () => true,
    () => null,
    (address) => address === own,
  );
  const entries = [entry('a', 'host:1'), entry('b', 'host:2')];
  set.replace(entries);
  set.replace(entries);
  expect(told).toEqual(['own a host:1', 'found b']);
  expect(set.get('a')).toBeUndefined();
  // It gets another port than it was configured with.
  own = 'host:2';
  set.lookAgain();
  expect(told.slice(2)).toEqual(['own b host:2', 'gone b', 'found a']);
});

test('why a remote says nothing is told once a reason, and again after it was there', async () => {
  let [isLive, why] = [false, 'refused'];
  const { set, told } = setWith(
    () => isLive,
    () => why,
  );
  set.replace([entry('a', 'host:1')]);
  const silent = (): string[] => told.filter((one) => one.startsWith('silent'));
  const until = async (isIt: () => boolean): Promise<void> => {
    while (!isIt()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(() => silent().length === 1);
  why = 'no TLS';
  await until(() => silent().length === 2);
  expect(silent()).toEqual(['silent a: refused', 'silent a: no TLS']);
  isLive = true;
  await until(() => set.usableCount === 1);
  expect(silent()).toHaveLength(2);
});
