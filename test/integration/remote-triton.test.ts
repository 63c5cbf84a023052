import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { makeShard } from '../support/make-shard';
import { startStandaloneTriton, type StandaloneTriton } from '../../bench/standalone-triton';
import {
  expectSolved,
  startOtherWorker,
  startRemoteBench,
  type OtherWorker,
  type RemoteBench,
} from './remote-harness';

jest.setTimeout(120_000);

const shard = makeShard();
const models = projectPath('models');
let folder: string;
let triton: StandaloneTriton;
let worker: OtherWorker;
const benches: RemoteBench[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-remotes-'));
  triton = await startStandaloneTriton({ repository: models, models: ['candidate_cost'] });
  worker = await startOtherWorker({ ROUNDHOUSE_MODELS_DIR: models, ROUNDHOUSE_DEVICES: 'cpu' });
});
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.stop();
});
afterAll(async () => {
  await triton?.stop();
  await worker?.kill();
  rmSync(folder, { recursive: true });
});

async function listing(...engines: object[]): Promise<RemoteBench> {
  const path = join(folder, 'remotes.json');
  writeFileSync(path, JSON.stringify({ engines }));
  const bench = await startRemoteBench({ ROUNDHOUSE_REMOTE_ENGINES: `file:${path}` });
  benches.push(bench);
  return bench;
}

const stock = () => ({ name: 'stock', address: triton.address, kind: 'triton', device: 'cpu' });

test('a stock Triton server with our backends solves shards, to the byte as a worker does', async () => {
  const [byTriton, byWorker] = [await listing(stock()), await listing({ address: worker.address })];
  const outcomes = [];
  for (const bench of [byTriton, byWorker]) {
    await bench.remotes.untilUsable();
    const solved = await bench.solve(shard, 3);
    expect(solved!.outcome).toMatchObject({ status: 'solved', deviceKind: 'cpu' });
    outcomes.push(solved!.outcome);
  }
  expect(outcomes[0]).toEqual(outcomes[1]);
});

test('many at once, while a wrong address is listed beside it', async () => {
  const bench = await listing({ address: '127.0.0.1:1' }, { address: 'no-such-host.invalid:1' }, stock());
  await bench.remotes.untilUsable();
  const outcomes = await Promise.all(Array.from({ length: 60 }, (_, i) => bench.solve(shard, i)));
  expectSolved(outcomes, bench);
  const asked = bench.seen
    .filter(({ name }) => name === 'RemoteAnswered')
    .map(({ fields }) => fields['name']);
  expect(new Set(asked)).toEqual(new Set(['stock']));
});

test('a shard that is wrong is wrong everywhere: nobody is put out for it', async () => {
  const bench = await listing(stock(), { name: 'worker', address: worker.address });
  await bench.untilSeen('RemoteUsable', { usable: true });
  await bench.untilSeen('RemoteUsable', { usable: true });
  const wrong = { ...shard, tensors: shard.tensors.slice(1) };
  const failed = await bench.solve(wrong, 0, 1_000);
  expect(failed!.outcome).toMatchObject({ status: 'failed', errorCode: 'PAYLOAD_INVALID' });
  expect(bench.seen.filter(({ name, fields }) => name === 'RemoteUsable' && !fields['usable'])).toEqual([]);
  expect((await bench.solve(shard, 1))!.outcome.status).toBe('solved');
});

test('a server that is killed is out; its shards go to the other one', async () => {
  const bench = await listing(stock(), { name: 'worker', address: worker.address });
  await bench.untilSeen('RemoteUsable', { usable: true });
  await bench.untilSeen('RemoteUsable', { usable: true });
  await triton.stop();
  const outcomes = await Promise.all(Array.from({ length: 30 }, (_, i) => bench.solve(shard, i)));
  expectSolved(outcomes, bench);
});
