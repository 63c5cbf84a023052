import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { EngineLink } from './engine-link';

test('who waits until a time beyond the longest timer still waits', async () => {
  const link = new EngineLink();
  const waiting = link.waitUntilUp((2 ** 52 - 1) as UnixMs);
  expect(await Promise.race([waiting, sleep(50).then(() => 'waits')])).toBe('waits');
  const client = {} as EngineClient;
  link.up(client, 'unix:socket');
  expect(await waiting).toBe(client);
});

test('who waits gets null when the engine is not up in time, and the link says why', async () => {
  const link = new EngineLink();
  link.down('it ended');
  expect(await link.waitUntilUp((Date.now() + 20) as UnixMs)).toBeNull();
  expect(link.whyDown()).toBe('it ended');
});

test('work that is handed over is not waited for; the next engine takes it again', async () => {
  const link = new EngineLink();
  const told: (string | null)[] = [];
  link.onHandOver((reason) => told.push(reason));
  const waiting = link.waitUntilUp((Date.now() + 60_000) as UnixMs);
  link.handOver('they keep ending');
  expect(await waiting).toBeNull();
  expect([link.whyDown(), link.whyHandedOver()]).toEqual(['they keep ending', 'they keep ending']);
  link.up({} as EngineClient, 'unix:socket');
  link.up({} as EngineClient, 'unix:other');
  expect(link.whyHandedOver()).toBeNull();
  expect(told).toEqual(['they keep ending', null]);
});
