import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineClient } from '#lib/engine-client/port';
import { EngineLink } from '../engine-link';
import { EngineSet } from '../placement/engine-set';
import { IncidentListing } from './incident-listing';
import { statusRoutes, type WorkerStatus } from './worker-status';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'roundhouse-status-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const engine = { pid: 7, device: 'cpu', exitCode: null, signal: 'SIGKILL', startMs: 200, upMs: 9_000 };
const nameOf = (second: number) => `20261130T1200${String(second).padStart(2, '0')}000Z-7-death.json`;
function leave(second: number, changes: object = {}): void {
  const report = { kind: 'death', role: 'active', reason: 'gone', at: 't', reaction: 'restart', engine };
  writeFileSync(join(folder, nameOf(second)), JSON.stringify({ ...report, stderrTail: 'x', ...changes }));
}

test('incidents are listed the newest first, without what was going on', () => {
  leave(1);
  leave(2, { reason: undefined, engine: undefined });
  writeFileSync(join(folder, 'notes.json'), '{}');
  const listing = new IncidentListing(folder);
  expect(listing.latest()).toEqual([
    { id: nameOf(2), kind: 'death', role: 'active', reason: '', at: 't', reaction: 'restart', engine: null },
    {
      ...{ id: nameOf(1), kind: 'death', role: 'active', reason: 'gone', at: 't', reaction: 'restart' },
      engine: { pid: 7, device: 'cpu', exitCode: null, signal: 'SIGKILL', upMs: 9_000 },
    },
  ]);
});

test('a report that is just gone, or broken, is left out; of many the last 50 are listed', () => {
  writeFileSync(join(folder, nameOf(1)), '{');
  mkdirSync(join(folder, nameOf(2)));
  expect(new IncidentListing(folder).latest()).toEqual([]);
  for (let second = 3; second < 60; second++) leave(second);
  const listed = new IncidentListing(folder).latest();
  expect([listed.length, listed[0]!.id, listed.at(-1)!.id]).toEqual([50, nameOf(59), nameOf(10)]);
});

test('a folder that is not there has none', () => {
  expect(new IncidentListing(join(folder, 'absent')).latest()).toEqual([]);
});

test('a whole report is had by its name, and nothing else of the machine', () => {
  leave(1);
  const answer = statusRoutes(() => undefined, new IncidentListing(folder));
  expect(answer(`/incidents/${nameOf(1)}`)).toMatchObject({ kind: 'death', stderrTail: 'x' });
  for (const path of [
    '/incidents/..%2Fx',
    '/incidents/../x',
    `/incidents/${nameOf(9)}`,
    '/incidents/',
    '/',
  ]) {
    expect(answer(path)).toBeUndefined();
  }
});

test('engines are up, down with the reason, or handed over', () => {
  const links = ['0', '1', '2'].map((id) => ({ id, link: new EngineLink() }));
  const answer = statusRoutes(() => new EngineSet(links), new IncidentListing(folder));
  links[0]!.link.up({} as EngineClient, 'unix:x', 'cuda');
  links[2]!.link.handOver('four engines ended');
  const { engines } = answer('/status') as WorkerStatus;
  expect(engines).toEqual([
    { id: '0', state: 'up', reason: '', device: 'cuda', incarnation: 1 },
    { id: '1', state: 'down', reason: 'the engine has not started yet', device: 'cpu', incarnation: 0 },
    { id: '2', state: 'handed_over', reason: 'four engines ended', device: 'cpu', incarnation: 0 },
  ]);
  expect(statusRoutes(() => undefined, new IncidentListing(folder))('/status')).toMatchObject({
    engines: [],
  });
});
