import { setTimeout as sleep } from 'node:timers/promises';
import { connectEngine } from '#lib/engine-client/grpc';
import type { UnixMs } from '#schemas/brands';
import type { Courier, Decision } from '#schemas/domain';
import { check, equal, type Check, type Drill, type DrillContext } from '../drill';
import { openOrders } from '../rounds/sender';
import { senderTo } from '../rounds/under-load';
import { unexplainedOrders } from '../rounds/verdict';
import type { Stand } from '../stand/stand';

const reasonsOf = (decision: Decision | null): string =>
  [...new Set(decision?.content.unassigned.map(({ reason }) => reason) ?? [])].sort().join(', ');

/** Rounds that can't be solved, or only in part. */
async function hardRounds(context: DrillContext): Promise<Check[]> {
  const { stand } = context;
  const sender = senderTo(stand, 'hard');
  const far = (courier: Courier): Courier => ({
    ...courier,
    position: { x: courier.position.x + 2, y: courier.position.y },
  });
  const template = sender.template();
  const { policy, asOf, space } = template;
  const free = template.couriers.filter(({ held }) => held.length === 0);
  const cases: [string, Partial<typeof template>][] = [
    ['no couriers', { couriers: [], orders: openOrders(template) }],
    ['couriers far away', { couriers: free.map(far), orders: openOrders(template) }],
    ['no orders', { orders: [], couriers: free }],
    [
      'all orders cancelled',
      {
        couriers: free,
        orders: openOrders(template),
        cancelledOrderIds: openOrders(template).map(({ orderId }) => orderId),
      },
    ],
  ];
  const checks: Check[] = [];
  for (const [what, changes] of cases) {
    const { decision, sent } = await sender.dispatch(5_000, { policy, asOf, space, ...changes });
    const unexplained = decision === null ? NaN : unexplainedOrders(decision, sent.openOrderIds);
    checks.push(
      check(
        what,
        'a decision, a reason for each order',
        `${decision === null ? (sent.refusal ?? 'no decision') : reasonsOf(decision) || 'nothing left out'}`,
        unexplained === 0,
      ),
    );
  }
  return [...checks, await partial(stand)];
}

/** Nobody solves until the deadline. */
async function partial(stand: Stand): Promise<Check> {
  const sender = senderTo(stand, 'partial');
  const worker = stand.pid('worker');
  process.kill(worker, 'SIGSTOP');
  const { decision, appendedAt, sent } = await sender
    .dispatch(1_500)
    .finally(() => process.kill(worker, 'SIGCONT'));
  await sleep(200);
  const inTime =
    decision !== null && appendedAt <= sent.deadline && unexplainedOrders(decision, sent.openOrderIds) === 0;
  const text = decision === null ? 'no decision' : `${decision.content.closedBy}, ${reasonsOf(decision)}`;
  return check(
    'nobody solves until the deadline',
    'a decision in time, a reason for each order',
    text,
    inTime,
  );
}

/** What is too large for a message, and what is large and fits. */
async function largePayloads({ stand, of }: DrillContext): Promise<Check[]> {
  const infer = async (bytes: number, maxMessageBytes = 64 * 1024 * 1024) => {
    const client = connectEngine({ address: stand.pipeline.workerGrpc, maxMessageBytes });
    const inputs = [{ name: 'IN', datatype: 'UINT8' as const, shape: [bytes], data: Buffer.alloc(bytes, 7) }];
    const request = { model: 'fault_injection', version: '', requestId: 'large', inputs };
    const from = performance.now();
    const end = await client.infer(request, (Date.now() + 20_000) as UnixMs).then(
      ({ outputs }) => `${outputs[0]!.data.byteLength} bytes back`,
      (error: Error & { code: string }) => `${error.code}: ${error.message}`,
    );
    await client.close();
    return { end, ms: performance.now() - from };
  };
  const fits = of(12, 6) * 1_048_576;
  const [large, tooLarge] = [await infer(fits), await infer(40 * 1_048_576)];
  const body = await fetch(`${stand.pipeline.ingestUrl}/v1/rounds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"roundId":"${'x'.repeat(9 * 1_048_576)}"}`,
  }).then(
    async (response) => `${response.status}: ${await response.text()}`,
    (error: Error) => `cut off: ${error.message}`,
  );
  const producer = await stand.bus.producer();
  const send = await producer
    .send([{ topic: stand.topics.shards, key: 'k', value: Buffer.alloc(9 * 1_048_576) }])
    .then(
      () => 'sent',
      (error: Error & { code: string }) => `${error.code}: ${error.message}`,
    );
  await producer.close();
  const namesLimit = (text: string) => /\d{6,}/.test(text);
  return [
    equal(`${fits} bytes to a model and back`, `${fits} bytes back`, large.end),
    check(
      '40 MiB to a model',
      'an error that names the limit',
      tooLarge.end.slice(0, 160),
      namesLimit(tooLarge.end),
    ),
    check(
      '9 MiB to ingest',
      '413, naming the limit',
      body.slice(0, 160),
      /^413/.test(body) && namesLimit(body),
    ),
    check('9 MiB to Kafka', 'refused, naming the limit', send.slice(0, 160), /^ROUND_TOO_LARGE/.test(send)),
  ];
}

export const decisionDrills: readonly Drill[] = [
  {
    name: 'hard-rounds',
    row: '20',
    fault:
      'rounds without couriers, with couriers far away, without orders, with all orders cancelled, and one that nobody solves',
    expected: 'always a decision, one reason for each order that is left out',
    console: { where: /rounds|worker/, words: /without all|hangs|stood still|late/ },
    inQuick: true,
    run: hardRounds,
  },
  {
    name: 'large-payloads',
    row: '9',
    fault: '12 MiB (6 in CI) and 40 MiB to a model, 9 MiB to ingest and to Kafka',
    expected: 'passed, or an error that names the limit, at once and not tried again',
    console: { where: /ingest/, words: /refused a submission/ },
    inQuick: false,
    run: largePayloads,
  },
];
