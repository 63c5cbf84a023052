import type { EngineClient } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { EngineLink } from '../engine-link';
import { EngineSet } from './engine-set';

const client = (name: string): EngineClient => ({ name }) as unknown as EngineClient;
const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;

function setOf(count: number) {
  const links = Array.from({ length: count }, () => new EngineLink());
  const engines = new EngineSet(links.map((link, number) => ({ id: `gpu:${number}`, link })));
  return { engines, links: links as [EngineLink, EngineLink] };
}

test('control and outside clients reach the first engine that is up', () => {
  const { engines, links } = setOf(2);
  expect(engines.current()).toBeNull();
  links[1].up(client('b'), 'unix:b');
  expect(engines.address()).toBe('unix:b');
  links[0].up(client('a'), 'unix:a');
  expect(engines.address()).toBe('unix:a');
  links[0].down('it ended');
  expect(engines.current()).toEqual({ name: 'b' });
  expect(engines.whyDown()).toBeNull();
  expect(engines.faults()).toEqual(['gpu:0: it ended']);
});

test('while none is up, each says why; a single one without its name', () => {
  const { engines, links } = setOf(2);
  links[0].down('it ended');
  expect(engines.whyDown()).toBe('gpu:0: it ended; gpu:1: the engine has not started yet');
  const single = setOf(1);
  single.links[0].down('it ended');
  expect(single.engines.whyDown()).toBe('it ended');
});

test('who waits gets the first one; null when none comes in time', async () => {
  const { engines, links } = setOf(2);
  expect(await engines.waitUntilUp(inMs(10))).toBeNull();
  const waiting = engines.waitUntilUp(inMs(60_000));
  links[0].handOver('engines keep ending');
  links[1].up(client('b'), 'unix:b');
  expect(await waiting).toEqual({ name: 'b' });
});

test('work is handed over when all devices are, and taken again with the first that is back', () => {
  const { engines, links } = setOf(2);
  const told: (string | null)[] = [];
  engines.onHandOver((reason) => void told.push(reason));
  links[0].handOver('it ended');
  expect([engines.whyHandedOver(), told]).toEqual([null, []]);
  links[1].handOver('it hangs');
  expect(told).toEqual(['gpu:0: it ended; gpu:1: it hangs']);
  links[1].up(client('b'), 'unix:b');
  links[0].up(client('a'), 'unix:a');
  expect(told).toEqual(['gpu:0: it ended; gpu:1: it hangs', null]);
});
