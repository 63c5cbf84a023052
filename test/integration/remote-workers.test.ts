import { connectEngine } from '#lib/engine-client/grpc';
import type { UnixMs } from '#schemas/brands';
import { shardKey } from '#schemas/topics';
import { projectPath } from '#schemas/project-root';
import { remoteLoadOf } from '#services/inference-worker/remote/load-report';
import { makeShard } from '../support/make-shard';
import { startStack } from '../support/stack';
import { stopProcess } from '../support/stop-process';
import { makeFaultModels } from './fault-models';
import {
  expectSolved,
  startOtherWorker,
  startRemoteBench,
  type OtherWorker,
  type RemoteBench,
} from './remote-harness';

jest.setTimeout(120_000);

const stack = startStack('remote-workers');
const shard = makeShard();
const env = (prefix: string) => ({
  REDIS_URL: stack.redisUrl,
  ROUNDHOUSE_TOPIC_PREFIX: `${stack.topicPrefix}${prefix}.`,
  ROUNDHOUSE_REMOTE_ENGINES: 'redis',
  ROUNDHOUSE_REMOTE_LEASE_MS: '900',
  ROUNDHOUSE_DEVICES: 'cpu',
});
const models = { ROUNDHOUSE_MODELS_DIR: projectPath('models') };

const running: { kill?(): Promise<void>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await (each.stop?.() ?? each.kill?.());
});

async function other(prefix: string, more: Readonly<Record<string, string>> = {}): Promise<OtherWorker> {
  const worker = await startOtherWorker({ ...env(prefix), ...models, ...more });
  running.push(worker);
  return worker;
}
async function bench(prefix: string): Promise<RemoteBench> {
  const made = await startRemoteBench(env(prefix));
  running.push(made);
  return made;
}

const usable = async (made: RemoteBench, count: number): Promise<void> => {
  for (let seen = 0; seen < count; seen += 1) await made.untilSeen('RemoteUsable', { usable: true });
};

test('a worker without an engine has its shards solved by one that announced itself, until its lease ends', async () => {
  const theirs = await other('one');
  const made = await bench('one');
  await made.remotes.untilUsable();
  const solved = await made.solve(shard, 0);
  expect(solved).toMatchObject({
    fault: null,
    outcome: { status: 'solved', deviceKind: 'cpu', shardIndex: 0 },
  });
  expect(solved!.interval).toMatch(/^\d+-\d+$/);
  await theirs.kill();
  await made.untilSeen('RemoteGone');
  const late = await made.solve(shard, 1, 100);
  expect(late!.outcome).toMatchObject({ status: 'failed', errorCode: 'ENGINE_LOST' });
});

test('one that says nothing more loses its shards to one that answers, and is out', async () => {
  const silent = await other('two');
  const answering = await other('two');
  const made = await bench('two');
  await usable(made, 2);
  for (let i = 0; i < 10; i += 1) await made.solve(shard, i);
  await stopProcess(silent.process.pid!);
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => made.solve(shard, 100 + i)));
  expectSolved(outcomes, made);
  silent.process.kill('SIGCONT');
  expect(answering.process.exitCode).toBeNull();
});

test('one without the model is left alone, the other one has the work', async () => {
  const faulty = makeFaultModels();
  await other('models', { ROUNDHOUSE_MODELS_DIR: faulty.folder, ROUNDHOUSE_FAULT_INJECTION: '1' });
  await other('models');
  const made = await bench('models');
  await usable(made, 2);
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => made.solve(shard, i)));
  expectSolved(outcomes, made);
  faulty.remove();
});

test('one that stops in order is withdrawn, and answers what it has', async () => {
  const theirs = await other('stops');
  const made = await bench('stops');
  await made.remotes.untilUsable();
  const outcomes = Array.from({ length: 10 }, (_, i) => made.solve(shard, i, 60_000));
  await outcomes[0];
  theirs.process.kill('SIGTERM');
  await made.untilSeen('RemoteGone');
  const successor = await other('stops');
  expectSolved(await Promise.all(outcomes), made);
  expect(successor.process.exitCode).toBeNull();
});

describe('what a worker says to another one', () => {
  const request = { model: 'candidate_cost', version: '', requestId: shardKey(shard), inputs: shard.tensors };
  const soon = (): UnixMs => (Date.now() + 20_000) as UnixMs;

  test('how busy it is and with which device; not to others', async () => {
    const { address } = await other('notes', { ROUNDHOUSE_REMOTE_ENGINES: 'none' });
    const asPeer = connectEngine({ address, asPeer: true });
    const sentMs = performance.now();
    const { notes, outputs } = await asPeer.infer({ ...request, size: shard.candidateCount }, soon());
    expect(notes).toMatchObject({ deviceKind: 'cpu', load: { waiting: 0, devices: [{ ready: true }] } });
    expect(notes!.thereMs).toBeGreaterThan(0);
    const times = { sentMs, receivedMs: performance.now(), receivedUnixMs: Date.now() };
    expect(remoteLoadOf(notes!.load, times)).toMatchObject({ lanes: 1 });
    const plain = connectEngine({ address });
    const same = await plain.infer(request, soon());
    expect(same.notes).toBeUndefined();
    const bytesOf = (all: typeof outputs, name: string) => all.find((output) => output.name === name)!.data;
    expect(bytesOf(same.outputs, 'plans')).toEqual(bytesOf(outputs, 'plans'));
    await expect(asPeer.infer({ ...request, inputs: [] }, soon())).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    });
    await expect(asPeer.infer({ ...request, model: 'none' }, soon())).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    });
    await Promise.all([asPeer.close(), plain.close()]);
  });
});
