import { projectPath } from '#schemas/project-root';
import { connectOverUcx } from '#services/inference-worker/remote/ucx/ucx-engine-client';
import { makeShard } from '../support/make-shard';
import { startStack } from '../support/stack';
import { stopProcess } from '../support/stop-process';
import { expectSolved, startOtherWorker, startRemoteBench, type OtherWorker } from './remote-harness';
import { closeHosts, describeUcx, loopback, openHost, soon } from './ucx-harness';

jest.setTimeout(120_000);

const stack = startStack('ucx-workers');
const shard = makeShard();
const env = (prefix: string) => ({
  REDIS_URL: stack.redisUrl,
  ROUNDHOUSE_TOPIC_PREFIX: `${stack.topicPrefix}${prefix}.`,
  ROUNDHOUSE_REMOTE_ENGINES: 'redis',
  ROUNDHOUSE_DEVICES: 'cpu',
});
const serving = {
  ROUNDHOUSE_MODELS_DIR: projectPath('models'),
  ROUNDHOUSE_UCX_NETWORKS: '127.0.0.0/8',
  ROUNDHOUSE_UCX_TRANSPORTS: 'tcp',
  ROUNDHOUSE_WORKER_PEER_PORT: '0',
};

const workers: OtherWorker[] = [];
const benches: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.stop();
  for (const worker of workers.splice(0)) await worker.kill();
  closeHosts();
});

async function other(prefix: string, more: Readonly<Record<string, string>> = {}): Promise<OtherWorker> {
  const worker = await startOtherWorker({ ...env(prefix), ...serving, ...more });
  workers.push(worker);
  return worker;
}

async function benchOverUcx(prefix: string) {
  const host = openHost();
  const bench = await startRemoteBench(
    env(prefix),
    (events) => (grpc, address) =>
      connectOverUcx({ grpc, host, address, tls: null, networks: loopback, pauses: soon, events }),
  );
  benches.push(bench);
  return bench;
}

describeUcx('a shard for another worker’s engine', () => {
  it('goes over UCX, through the scheduler there, and comes back with the bytes that gRPC brings', async () => {
    await other('one');
    const bench = await benchOverUcx('one');
    await bench.untilSeen('UcxOpened');
    const overUcx = await bench.solve(shard, 0);
    await bench.untilSeen('UcxSent');
    expect(bench.seen.filter(({ name }) => name === 'UcxFellBack')).toEqual([]);
    const plain = await startRemoteBench(env('one'));
    benches.push(plain);
    await plain.remotes.untilUsable();
    const overGrpc = await plain.solve(shard, 0);
    expect(overUcx).toMatchObject({ fault: null, outcome: { status: 'solved', deviceKind: 'cpu' } });
    expect(overUcx!.outcome).toEqual(overGrpc!.outcome);
  });

  it('is answered though the worker’s UCX ends with it: many at once, while one of two workers is killed', async () => {
    const [first] = [await other('two'), await other('two')];
    const bench = await benchOverUcx('two');
    await bench.untilSeen('UcxOpened');
    await bench.untilSeen('UcxOpened');
    const outcomes = Array.from({ length: 60 }, (_, i) => bench.solve(shard, i, 60_000));
    await outcomes[0];
    first.process.kill('SIGKILL');
    expectSolved(await Promise.all(outcomes), bench);
  });

  it('goes to the worker that answers while the other one stands still', async () => {
    const [first] = [await other('three'), await other('three')];
    const bench = await benchOverUcx('three');
    await bench.untilSeen('UcxOpened');
    await bench.untilSeen('UcxOpened');
    for (let i = 0; i < 10; i += 1) await bench.solve(shard, i);
    await stopProcess(first.process.pid!);
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => bench.solve(shard, 100 + i)));
    expectSolved(outcomes, bench);
    await bench.untilSeen('UcxLost');
  });

  it('goes over gRPC to a worker that lists no networks', async () => {
    await other('four', { ROUNDHOUSE_UCX_NETWORKS: '' });
    const bench = await benchOverUcx('four');
    await bench.untilSeen('UcxUnavailable');
    await bench.remotes.untilUsable();
    expectSolved([await bench.solve(shard, 0)], bench);
    await bench.untilSeen('UcxFellBack', { reason: 'not_connected' });
  });
});
