import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roundsCodec, shardsCodec } from '#schemas/codec';
import { projectPath } from '#schemas/project-root';
import { roundBody, startIngest, type IngestBench } from './ingest-harness';
import { until } from '../support/until';

jest.setTimeout(120_000);

let models: string;
let ingest: IngestBench;
const stable = { candidate_cost: '1', delivery_time: '1' };
const canary = { candidate_cost: '2', delivery_time: '1' };

function label(text: string): void {
  writeFileSync(join(models, 'labels.json.new'), text);
  renameSync(join(models, 'labels.json.new'), join(models, 'labels.json'));
}
const labels = (canaryShare: number): string => JSON.stringify({ stable, canary, canaryShare });

beforeAll(async () => {
  models = mkdtempSync(join(tmpdir(), 'roundhouse-labels-'));
  for (const name of ['candidate_cost', 'delivery_time']) {
    cpSync(projectPath('models', name), join(models, name), { recursive: true });
  }
  cpSync(join(models, 'candidate_cost', '1'), join(models, 'candidate_cost', '2'), { recursive: true });
  label(labels(0));
  ingest = await startIngest('ingest-labels', { ROUNDHOUSE_MODELS_DIR: models });
});
afterAll(async () => {
  await ingest.stop();
  rmSync(models, { recursive: true });
});

/** The label and versions of a round that was accepted, as its manifest and all of its shards say. */
async function publish(roundId: string, policy: object = {}) {
  expect((await ingest.post('/v1/rounds', roundBody(roundId, { policy }))).status).toBe(202);
  await ingest.manifests(roundId);
  const manifest = ingest.seen.rounds
    .map(({ value }) => roundsCodec.decode(value!))
    .find((one) => one.round.roundId === roundId)!;
  const shards = () =>
    ingest.seen.shards
      .map(({ value }) => shardsCodec.decode(value!))
      .filter((one) => one.roundId === roundId);
  await until(() => shards().length === manifest.shardCount, 'all shards of the round');
  const version = manifest.models.find(({ name }) => name === 'candidate_cost')!.version;
  expect(new Set(shards().map(({ model }) => model.version))).toEqual(new Set([version]));
  return { label: manifest.round.policy.modelLabel, version };
}

const warnings = async (): Promise<string> => (await ingest.get('/readyz')).body.warnings?.models ?? '';
const share = async (): Promise<string> =>
  /^dispatch_canary_share(?:\{.*\})? (.*)$/m.exec((await ingest.get('/metrics')).body)?.[1] ?? '';

test('a share of the rounds gets canary, without a restart, and a round keeps the label that it names', async () => {
  expect(await publish('all-stable')).toEqual({ label: 'stable', version: '1' });
  expect(await publish('named', { modelLabel: 'canary' })).toEqual({ label: 'canary', version: '2' });
  label(labels(1));
  await until(async () => (await share()) === '1', 'the new share is followed');
  expect(await publish('all-canary')).toEqual({ label: 'canary', version: '2' });
  expect(await publish('named-too', { modelLabel: 'stable' })).toEqual({ label: 'stable', version: '1' });
});

test('a broken file keeps the old labels and says why, still ready', async () => {
  label('{"stable": {"candidate_cost": "7"}}');
  await until(async () => (await warnings()) !== '', 'the broken file is seen');
  expect(await warnings()).toMatch(/stable\.candidate_cost 7: no folder/);
  expect((await ingest.get('/readyz')).status).toBe(200);
  expect(await publish('while-broken')).toEqual({ label: 'canary', version: '2' });
  label(labels(0));
  await until(async () => (await warnings()) === '', 'the mended file is seen');
  expect(await publish('mended')).toEqual({ label: 'stable', version: '1' });
});
