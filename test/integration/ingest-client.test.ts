import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { projectPath } from '#schemas/project-root';
import { FirstDecisions, RoundhouseClient, RoundhouseError } from '../../client';
import type { RoundInput } from '../../client';
import { until } from '../support/until';
import { decisionOf, roundBody, startIngest, type IngestBench } from './ingest-harness';
import { closedWithFile, disconnectedWithFile } from '../support/closed-with-file';

let ingest: IngestBench;
let client: RoundhouseClient;

beforeAll(async () => {
  ingest = await startIngest('ingest-client');
  client = new RoundhouseClient({ url: ingest.url });
}, 120_000);
afterAll(() => ingest?.stop(), 60_000);

const round = (roundId: string, changes: Record<string, unknown> = {}) =>
  roundBody(roundId, changes) as unknown as RoundInput;

/** Decides every round that ingest puts on Kafka from now on. */
async function decideAll() {
  const decided = new Set<string>();
  const timer = setInterval(() => {
    void (async () => {
      const { roundsCodec } = await import('#schemas/codec');
      for (const { value } of ingest.seen.rounds) {
        const { round: accepted } = roundsCodec.decode(value!);
        if (decided.has(accepted.roundId)) continue;
        decided.add(accepted.roundId);
        await ingest.publishDecision(decisionOf(accepted));
      }
    })();
  }, 20);
  return () => clearInterval(timer);
}

test('a round of the domain goes through, and its decision comes back exact', async () => {
  const stop = await decideAll();
  const receipt = await client.dispatch(round('c1', { sequence: 2n ** 63n - 1n }));
  stop();
  expect(receipt.decision.sequence).toBe(2n ** 63n - 1n);
  expect(receipt.decision.content.assignments[0]!.cost).toBe(9_007_199_254_740_993n);
  expect(receipt.closedAt).toBe(123);
  expect(receipt.outage).toBeNull();
  expect(receipt.appendedAt).toBeGreaterThan(Date.now() - 60_000);
}, 60_000);

test('errors are typed and carry the faults', async () => {
  const refused = client.submitRound(round('c2', { zoneId: '' }));
  await expect(refused).rejects.toMatchObject({ code: 'ROUND_INVALID', faults: [{ path: 'zoneId' }] });
  await expect(refused).rejects.toBeInstanceOf(RoundhouseError);
  await client.submitRound(round('c3'));
  await expect(client.submitRound(round('c3', { couriers: [] }))).rejects.toMatchObject({
    code: 'ROUND_CONFLICT',
  });
  await expect(client.decision({ roundId: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a decision that does not come is null after the wait', async () => {
  await client.submitRound(round('c4'));
  const started = Date.now();
  expect(await client.decision({ runId: 'run', roundId: 'c4' }, 300)).toBeNull();
  expect(Date.now() - started).toBeGreaterThanOrEqual(299);
});

test('observations are accepted', async () => {
  expect(await client.observe([{ orderId: 'a', kind: 'dropped_off', at: 7 }])).toBe(1);
});

test('a pending claim of an attempt that died is taken up: the round is published again', async () => {
  await client.submitRound(round('c5'));
  const redis = disconnectedWithFile(new Redis(ingest.stack.redisUrl));
  const key = `${ingest.stack.topicPrefix}ingest:round:default\u001frun\u001fc5`;
  expect(await redis.hget(key, 'state')).toBe('accepted');
  expect(await redis.pttl(key)).toBeGreaterThan(0);
  await redis.hset(key, 'state', 'pending');
  const body = ingest.seen.rounds.length;
  // The same content needs the same deadline: take it from what was accepted.
  const [accepted] = await ingest.manifests('c5');
  const again = await client.submitRound(round('c5', { deadline: accepted!.deadline }));
  expect(again.again).toBe(false);
  expect(await ingest.manifests('c5', 2)).toHaveLength(2);
  expect(ingest.seen.rounds.length).toBeGreaterThan(body);
  expect(await redis.hget(key, 'state')).toBe('accepted');
  await redis.quit();
});

test('an ingest that was killed is retried until it is back, and still knows its rounds', async () => {
  const stop = await decideAll();
  const first = round('c6');
  await client.submitRound(first);
  await ingest.pipeline.kill('ingest');
  const patient = new RoundhouseClient({ url: ingest.url, retryForMs: 30_000 });
  const meanwhile = patient.submitRound(round('c7'));
  await ingest.pipeline.restart('ingest');
  expect(await meanwhile).toMatchObject({ roundId: 'c7', again: false });
  expect((await patient.submitRound(first)).again).toBe(true);
  // Decisions from before the kill are read again from Kafka.
  expect((await patient.decision({ runId: 'run', roundId: 'c1' }, 10_000))?.decision.roundId).toBe('c1');
  stop();
}, 90_000);

test('the first of two addresses that answers is used, and only where a retry may help', async () => {
  let asked = 0;
  const busy: Server = createServer((_, response) => {
    asked += 1;
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end('{"error":"SHUTTING_DOWN","message":"stopping","faults":[]}');
  });
  closedWithFile(busy, () => busy.close());
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`;
  const two = new RoundhouseClient({ url: [url, ingest.url] });
  expect(await two.submitRound(round('c8'))).toMatchObject({ roundId: 'c8' });
  expect(asked).toBe(1);
  const short = new RoundhouseClient({ url, retryForMs: 300 });
  await expect(short.submitRound(round('c9'))).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(asked).toBeGreaterThan(2);
  busy.close();
});

test('nobody there: DEPENDENCY_ABSENT with the address', async () => {
  const lost = new RoundhouseClient({ url: 'http://127.0.0.1:9', retryForMs: 200 });
  await expect(lost.submitRound(round('c9'))).rejects.toMatchObject({
    code: 'DEPENDENCY_ABSENT',
    message: expect.stringContaining('127.0.0.1:9'),
  });
});

test('decisions are recognised when they come again', async () => {
  const [accepted] = await ingest.manifests('c4');
  const first = new FirstDecisions(1);
  expect(first.isFirst(decisionOf(accepted!))).toBe(true);
  expect(first.isFirst(decisionOf(accepted!))).toBe(false);
  expect(first.isFirst(decisionOf({ ...accepted!, roundId: 'other' as never }))).toBe(true);
  expect(first.isFirst(decisionOf(accepted!))).toBe(true); // only the last round is remembered here
});

test('the example of the README runs', async () => {
  const stop = await decideAll();
  await until(() => ingest.seen.rounds.length > 0, 'a round');
  const example = projectPath('dist', 'examples', 'produce-round.js');
  const { stdout } = await promisify(execFile)(process.execPath, [example, ingest.url]);
  stop();
  expect(JSON.parse(stdout)).toMatchObject([{ courierId: 'ann', orderIds: ['soup'] }]);
}, 60_000);
