import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionContent, DispatchRound } from '#schemas/domain';
import type { Seconds } from '#schemas/brands';
import { KnownFlag, ORDER_COLUMNS, OrderColumn } from '#schemas/tensors';
import { projectPath } from '#schemas/project-root';
import { runNetwork } from '../../../test/support/predict-times';
import { buildOrder, buildRound } from '../../../test/support/build-round';
import { readTableDay } from '../import/table-day';
import { featureRows } from '../etr/feature-rows';
import { byLocalNetwork } from './local-network';
import { atStatedTimes, byMean, meanReadyDay, withPredictedReady } from './ready-knowledge';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ready-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function tableDay() {
  const rows = ['a,0,600,R', 'b,100,1300,R', 'c,200,500,S'].map((row) => `${row},0,0,900,0`);
  const head = 'orderId,placedAt,readyAt,pickupPlaceId,pickupX,pickupY,dropoffX,dropoffY';
  writeFileSync(join(folder, 'orders.csv'), [head, ...rows].join('\n'));
  writeFileSync(join(folder, 'couriers.csv'), 'courierId,x,y,onAt,offAt\nk,10,0,0,9000\n');
  writeFileSync(join(folder, 'settings.json'), '{"space":"planar"}');
  return readTableDay(folder).day;
}

test('merchants say their mean; what really happens stays', () => {
  const day = tableDay();
  const blind = meanReadyDay(day);
  // R takes 600 and 1,200 s, 900 s at the mean with a deviation of 300; S takes 300 s.
  expect(blind.orders.map(({ readyAt }) => readyAt)).toEqual([900, 1_000, 500]);
  expect(blind.orders[0]).toMatchObject({
    known: { ready: false },
    features: { merchantMeanPrepMinutes: 15, merchantStdPrepMinutes: 5 },
  });
  expect(blind.orders.map((order) => blind.truth.readyAt(order))).toEqual([600, 1_300, 500]);
});

const seconds = (value: number) => value as Seconds;
const unknown = (id: string, placedAt: number, readyAt: number) =>
  buildOrder(id, {
    ...{ placedAt: seconds(placedAt), readyAt: seconds(readyAt) },
    known: { ready: false, pickupWait: true, handover: true },
  });

test('decisions are made with predicted times, which stay unknown', async () => {
  const ready = buildOrder('r', { readyAt: seconds(50) });
  const round = buildRound({
    asOf: seconds(1_000),
    orders: [unknown('a', 400, 1_500), ready, unknown('b', 400, 700)],
  });
  const seen: DispatchRound[] = [];
  const dispatch = (one: DispatchRound) => {
    seen.push(one);
    return Promise.resolve({} as DecisionContent);
  };
  await withPredictedReady(dispatch, byMean)(round);
  expect(seen[0]!.orders.map(({ readyAt }) => readyAt)).toEqual([1_500, 50, 700]);
  expect(seen[0]!.orders.map(({ known }) => known.ready)).toEqual([false, true, false]);
  await withPredictedReady(dispatch, () => Promise.resolve([900.4, 700]))(round);
  // 400 + 900 = 1,300; 400 + 700 = 1,100.
  expect(seen[1]!.orders.map(({ readyAt }) => readyAt)).toEqual([1_300, 50, 1_100]);
  await withPredictedReady(dispatch, byMean, 0.9)(round);
  // 400 + 0.9 · 1,100 = 1,390; 400 + 0.9 · 300 = 670.
  expect(seen[2]!.orders.map(({ readyAt }) => readyAt)).toEqual([1_390, 50, 670]);
});

test('the planner takes stated times for known ones, and nothing else is changed', () => {
  const orders = new Int32Array(2 * ORDER_COLUMNS);
  orders[OrderColumn.flags] = KnownFlag.pickupWait;
  orders[ORDER_COLUMNS + OrderColumn.flags] = KnownFlag.ready;
  const tensor = {
    datatype: 'INT32',
    shape: [2, ORDER_COLUMNS],
    data: new Uint8Array(orders.buffer),
  } as const;
  const [changed, other] = atStatedTimes([
    { ...tensor, name: 'orders' },
    { ...tensor, name: 'couriers' },
  ]);
  const columns = new Int32Array(changed!.data.slice().buffer);
  const wanted = orders.slice();
  wanted[OrderColumn.flags] = KnownFlag.pickupWait | KnownFlag.ready;
  expect(columns).toEqual(wanted);
  expect(other!.data).toBe(tensor.data);
});

test('a repository without the network', async () => {
  writeFileSync(join(folder, 'labels.json'), '{"stable":{},"canary":{}}');
  await expect(byLocalNetwork(folder)).rejects.toThrow();
});

test('features of a row are those of docs/etr.md', () => {
  const order = unknown('a', 400, 1_500);
  const features = { ...order.features, merchantMeanPrepMinutes: 15, itemCount: 2, dropoffFloor: 3 };
  const base = buildRound({ asOf: seconds(1_000), orders: [order] });
  const context = { secondsOfDay: seconds(21_600), dayOfWeek: 6, rainPerMille: 250, trafficPerMille: 500 };
  const round = { ...base, policy: { ...base.policy, context } };
  const { data, shape } = featureRows(round, [{ ...order, features }]);
  const row = [...new Float32Array(data.buffer as ArrayBuffer)];
  expect(shape).toEqual([1, 20]);
  // A quarter of the day: sin 1, cos 0; 600 s since placement are 10 minutes; 100 m from R to the door.
  [0, 1, 0, 1, 0.25, 0.5, 15, 0, 0, 2, 10, 0, 0, 3, 0.1, 0, 0, 0, 0, 0].forEach((value, column) =>
    expect(row[column]).toBeCloseTo(value, 5),
  );
  const model = projectPath('models', 'delivery_time', '1', 'model.onnx');
  expect(runNetwork(model, [row])[0]).toBeGreaterThan(0);
});
