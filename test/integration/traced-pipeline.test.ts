import { pino } from 'pino';
import { connectBus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { headers as names, topicsOf } from '#schemas/topics';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp/receiver';
import { processOf } from '../support/running-process';
import { startStack } from '../support/stack';
import { until } from '../support/until';
import { roundBody } from './ingest-harness';

jest.setTimeout(180_000);

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerId = '00f067aa0ba902b7';
const stack = startStack('traced');
const topics = topicsOf(stack.topicPrefix);

let receiver: OtlpReceiver;
let pipeline: Pipeline;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  pipeline = await startPipeline({
    inheritedEnv: process.env,
    kafkaBrokers: stack.kafkaBrokers,
    redisUrl: stack.redisUrl,
    topicPrefix: stack.topicPrefix,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.httpUrl, OTEL_RESOURCE_ATTRIBUTES: 'deployment=test' },
  });
});
afterAll(async () => {
  await pipeline.stop();
  await receiver.close();
});

async function submit(roundId: string, headers: Record<string, string>): Promise<void> {
  const url = `${pipeline.ingestUrl}/v1/rounds`;
  const body = JSON.stringify(roundBody(roundId));
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  expect(answer.status).toBe(202);
  const decided = await fetch(`${pipeline.ingestUrl}/v1/runs/run/rounds/${roundId}/decision?waitMs=30000`);
  expect(decided.status).toBe(200);
}

function only(name: string, from: readonly ReceivedSpan[] = ofTrace()): ReceivedSpan {
  const found = from.filter((span) => span.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
}
const ofTrace = () => receiver.spans.filter((span) => span.traceId === traceId);

async function messagesOn(topic: string): Promise<BusMessage[]> {
  const bus = connectBus({
    brokers: stack.brokers,
    clientId: 'traced-test',
    logger: pino({ level: 'silent' }),
  });
  const messages: BusMessage[] = [];
  try {
    await bus.readRange({ topic, from: 'earliest', handle: (message) => void messages.push(message) });
  } finally {
    await bus.close();
  }
  return messages;
}

test("a round's spans lead from the caller through ingest, worker, engine and aggregator", async () => {
  await submit('traced', {
    traceparent: `00-${traceId}-${callerId}-01`,
    tracestate: 'congo=t61rcWkgMzE',
  });
  const isThere = (name: string) => () => ofTrace().some((span) => span.name === name);
  for (const name of ['POST /v1/rounds', 'dispatch.shards process', 'dispatch.rounds process'])
    await until(isThere(name), name);
  const root = only('POST /v1/rounds');
  expect(root).toMatchObject({ service: 'ingest', parentId: callerId, state: 'congo=t61rcWkgMzE', kind: 2 });
  expect(root.attributes).toMatchObject({ 'roundhouse.round_id': 'traced', 'roundhouse.shards': '1' });
  const shard = only('dispatch.shards process');
  const round = only('dispatch.rounds process');
  expect([shard, round].map(({ service, parentId }) => [service, parentId])).toEqual([
    ['inference-worker', root.spanId],
    ['aggregator', root.spanId],
  ]);
  const inference = only('inference');
  expect(inference.parentId).toBe(shard.spanId);
  // The engine tells when its phases were; they lie in the request, give or take a clock's step.
  const planning = only('or');
  expect(planning.parentId).toBe(inference.spanId);
  expect(planning.startNs).toBeGreaterThan(inference.startNs - 5_000_000n);
  expect(planning.endNs).toBeLessThan(inference.endNs + 5_000_000n);
  const stepsOf = ({ spanId }: ReceivedSpan) =>
    ofTrace()
      .filter((span) => span.parentId === spanId)
      .map(({ name }) => name);
  expect(stepsOf(root)).toEqual(expect.arrayContaining(['read', 'claim', 'prepare', 'shards', 'manifest']));
  expect(stepsOf(shard)).toEqual(expect.arrayContaining(['decode', 'inference', 'publish']));
  expect(stepsOf(round)).toEqual(
    expect.arrayContaining(['collect outcomes', 'decide', 'claim', 'dispatch.decisions publish']),
  );
  expect(ofTrace().filter(({ error }) => error !== null)).toEqual([]);
});

test('each message carries the context of the span that sent it', async () => {
  const contextOf = ({ headers }: BusMessage) => [headers[names.traceparent], headers[names.tracestate]];
  const of = (name: string) => [`00-${traceId}-${only(name).spanId}-01`, 'congo=t61rcWkgMzE'];
  const first = async (topic: string) =>
    (await messagesOn(topic)).filter(({ headers }) => headers[names.traceparent]?.includes(traceId))[0]!;
  expect(contextOf(await first(topics.shards))).toEqual(of('POST /v1/rounds'));
  expect(contextOf(await first(topics.rounds))).toEqual(of('POST /v1/rounds'));
  expect(contextOf(await first(topics.outcomes))).toEqual(of('dispatch.shards process'));
  expect(contextOf(await first(topics.decisions))).toEqual(of('dispatch.rounds process'));
});

test('histograms have the trace as their exemplar', async () => {
  const { ports } = processOf(pipeline, 'aggregator');
  const answer = await fetch(`http://127.0.0.1:${ports.http}/metrics`, {
    headers: { accept: 'application/openmetrics-text; version=1.0.0' },
  });
  const text = await answer.text();
  const exemplar = new RegExp(
    `^dispatch_decision_latency_seconds_bucket.* # \\{trace_id="${traceId}"\\} `,
    'm',
  );
  expect(text).toMatch(exemplar);
});

test('what the caller does not record is passed on and not recorded', async () => {
  const other = 'c'.repeat(32);
  await submit('quiet', { traceparent: `00-${other}-${callerId}-00` });
  await submit('own', {});
  // The round behind it is recorded, so spans of the one before it would be here, too.
  const isOwn = (span: ReceivedSpan) => span.attributes['roundhouse.round_id'] === 'own';
  await until(() => receiver.spans.filter(isOwn).length === 3, 'spans of the last round');
  expect(receiver.spans.filter(({ traceId: id }) => id === other)).toEqual([]);
  const [decision] = (await messagesOn(topics.decisions)).filter(({ headers }) =>
    headers[names.traceparent]?.includes(other),
  );
  expect(decision!.headers[names.traceparent]).toBe(`00-${other}-${callerId}-00`);
});
