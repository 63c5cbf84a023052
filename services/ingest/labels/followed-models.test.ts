import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoundId, RunId, TenantId } from '#schemas/brands';
import type { IngestEvents } from '../events';
import { FollowedModels } from './followed-models';

let folder: string;
let seen: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-labels-'));
  for (const version of ['1', '2']) {
    mkdirSync(join(folder, 'candidate_cost', version), { recursive: true });
    writeFileSync(join(folder, 'candidate_cost', version, 'model.txt'), version);
  }
  seen = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const events = {
  ModelLabelsFollowed: () => seen.push('followed'),
  ModelLabelsRefused: ({ reason }: { reason: string }) => seen.push(reason),
} as unknown as IngestEvents;

/** As the CLI does: whole, by a rename. */
function write(text: string): void {
  writeFileSync(join(folder, 'labels.json.new'), text);
  renameSync(join(folder, 'labels.json.new'), join(folder, 'labels.json'));
}
const key = { tenantId: 't' as TenantId, runId: 'live' as RunId, roundId: 'r' as RoundId };
const stable = '{"stable": {"candidate_cost": "1"}, "canary": {"candidate_cost": "2"}, "canaryShare": 0}';

test('a change is followed, and a round keeps the label that it names', async () => {
  write(stable);
  const models = new FollowedModels(folder, events);
  expect(models.resolve(key, undefined)).toMatchObject({ label: 'stable', models: [{ version: '1' }] });
  expect(models.resolve(key, 'canary')).toMatchObject({ label: 'canary', models: [{ version: '2' }] });
  write('{"stable": {"candidate_cost": "1"}, "canary": {"candidate_cost": "2"}, "canaryShare": 1}');
  await models.look();
  expect(models.resolve(key, undefined)).toMatchObject({ label: 'canary', models: [{ version: '2' }] });
  expect(models.resolve(key, 'stable')).toMatchObject({ label: 'stable', models: [{ version: '1' }] });
  expect(seen).toEqual(['followed']);
});

test.each([
  ['half of a file', '{"stable": {"candidate_cost"', /not JSON/],
  [
    'a version that is not there',
    '{"stable": {"candidate_cost": "3"}}',
    /stable\.candidate_cost 3: no folder/,
  ],
  [
    'a label without the model of all rounds',
    '{"stable": {}}',
    /stable\.candidate_cost absent: the model of all/,
  ],
  ['a path', '{"stable": {"../a": "1"}}', /a model name/],
  ['nothing', '', /not JSON/],
])('%s keeps the old labels, says why once, and is followed when it is right', async (_, text, reason) => {
  write(stable);
  const models = new FollowedModels(folder, events);
  write(text);
  await models.look();
  await models.look();
  expect(seen).toEqual([expect.stringMatching(reason)]);
  expect(models.whyNotFollowed()).toMatch(reason);
  expect(models.resolve(key, undefined).models).toMatchObject([{ name: 'candidate_cost', version: '1' }]);
  write('{"stable": {"candidate_cost": "2"}}');
  await models.look();
  expect(models.whyNotFollowed()).toBeNull();
  expect(models.labels).toEqual(['stable']);
  expect(models.resolve(key, undefined).models).toMatchObject([{ name: 'candidate_cost', version: '2' }]);
});

test('at the start a label without the model of all rounds is refused', () => {
  write('{"stable": {"candidate_cost": "1"}, "canary": {}}');
  expect(() => new FollowedModels(folder, events)).toThrow(/canary\.candidate_cost/);
});

test('a version that comes after the label that names it is found', async () => {
  write(stable);
  const models = new FollowedModels(folder, events);
  write('{"stable": {"candidate_cost": "3"}}');
  await models.look();
  mkdirSync(join(folder, 'candidate_cost', '3'));
  await models.look();
  expect(models.whyNotFollowed()).toBeNull();
  expect(models.resolve(key, undefined).models).toMatchObject([{ name: 'candidate_cost', version: '3' }]);
});

test('a file that goes is refused, the old labels hold', async () => {
  write(stable);
  const models = new FollowedModels(folder, events);
  rmSync(join(folder, 'labels.json'));
  await models.look();
  expect(models.whyNotFollowed()).toMatch(/the file is absent/);
  expect(models.labels).toEqual(['stable', 'canary']);
});

test('a file that can not even be looked at is refused, the old labels hold', async () => {
  write(stable);
  const models = new FollowedModels(folder, events);
  rmSync(join(folder, 'labels.json'));
  symlinkSync('labels.json', join(folder, 'labels.json')); // a link to itself: ELOOP, for root too
  await models.look();
  await models.look();
  expect(seen).toEqual([expect.stringMatching(/labels\.json/)]);
  expect(models.labels).toEqual(['stable', 'canary']);
  rmSync(join(folder, 'labels.json'));
  write(stable);
  await models.look();
  expect(models.whyNotFollowed()).toBeNull();
});
