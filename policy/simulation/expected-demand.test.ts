import type { PlaceId, Seconds } from '#schemas/brands';
import { buildOrder, buildStop } from '../../test/support/build-round';
import { expectedDemand } from './expected-demand';

const seconds = (value: number) => value as Seconds;
const placed = (id: string, restaurant: string, at: number) =>
  buildOrder(id, { placedAt: seconds(at), pickup: buildStop(restaurant, 7, 8) });

test('orders an hour by restaurant, an order weighs less the older it is, and nothing beyond four memories', () => {
  const model = { memorySeconds: seconds(3_600), restaurants: [], leastPerHour: 0 };
  const orders = [placed('old', 'S', 0), placed('a', 'R', 14_400), placed('b', 'R', 18_000)];
  // At 18,000: b weighs 1, a an hour old e^−1 = 0.368, the old one is five hours old.
  expect(expectedDemand(orders, seconds(18_000), model)).toEqual([
    { placeId: 'R', point: { x: 7, y: 8 }, weight: 1_368 },
  ]);
  // With a memory of half an hour: 2 · (1 + e^−2) = 2.271 an hour.
  const short = { ...model, memorySeconds: seconds(1_800) };
  expect(expectedDemand(orders, seconds(18_000), short)[0]!.weight).toBe(2_271);
  expect(expectedDemand([], seconds(0), model)).toEqual([]);
});

test('restaurants known beforehand are expected to have orders before the first one', () => {
  const restaurants = [
    { placeId: 'R' as PlaceId, point: { x: 7, y: 8 } },
    { placeId: 'T' as PlaceId, point: { x: 1, y: 2 } },
  ];
  const model = { memorySeconds: seconds(3_600), restaurants, leastPerHour: 0.25 };
  expect(expectedDemand([placed('a', 'R', 0)], seconds(0), model)).toEqual([
    { placeId: 'R', point: { x: 7, y: 8 }, weight: 1_250 },
    { placeId: 'T', point: { x: 1, y: 2 }, weight: 250 },
  ]);
});
