import type { Seconds } from '#schemas/brands';
import { cityDay } from './city-day';
import { Prng, seedOf } from './prng';
import { demandAt, drawRideFactor, drawTimes, trafficAt } from './process';

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const dry = { rain: 0, isWeekend: false };

describe('the bundled day', () => {
  const day = cityDay();

  test('has 600 orders and 60 couriers, the same ones every time', () => {
    expect(day.orders).toHaveLength(600);
    expect(day.couriers).toHaveLength(60);
    expect(cityDay().orders).toEqual(day.orders);
    expect(cityDay({ seed: 1 }).orders).not.toEqual(day.orders);
  });

  test('places lie within 10 km of the centre, orders follow each other', () => {
    for (const { pickup, dropoff } of day.orders) {
      for (const { point } of [pickup, dropoff]) {
        expect(Math.abs(point.x - 13.405)).toBeLessThan(0.15); // 0.15° east is 10.1 km
        expect(Math.abs(point.y - 52.52)).toBeLessThan(0.09); // 0.09° north is 10.0 km
      }
    }
    const placed = day.orders.map(({ placedAt }) => placedAt);
    expect(placed).toEqual(placed.toSorted((a, b) => a - b));
  });

  test('nothing is known, and the truth is another than the estimate', () => {
    const { truth } = day;
    const errors = day.orders.map((order) => truth.readyAt(order) - order.readyAt);
    expect(day.orders.every(({ known }) => !known.ready && !known.pickupWait && !known.handover)).toBe(true);
    expect(errors.filter((error) => Math.abs(error) > 120).length).toBeGreaterThan(200);
    expect(truth.readyAt(day.orders[0]!)).toBe(truth.readyAt(day.orders[0]!));
  });

  test('a ride takes its median factor more often than not, and one ride always the same time', () => {
    const [from, to] = [day.orders[0]!.pickup.point, day.orders[0]!.dropoff.point];
    const ride = () => day.truth.travelSeconds('car', from, to, (19 * 3600) as Seconds);
    expect(ride()).toBe(ride());
    expect(day.truth.travelSeconds('car', from, from, 0 as Seconds)).toBe(0);
  });
});

describe('the process of docs/etr.md', () => {
  test('demand peaks at lunch and dinner', () => {
    // 12:36 on a weekday: 0.1 + 0.65 + 0.95·exp(−0.5·(6.6/1.5)²) = 0.7501
    expect(demandAt(12.6 * 3600, dry)).toBeCloseTo(0.7501, 3);
    // 19:12 at the weekend: 0.1 + 0.52·(nothing left of lunch) + 0.95·1.15 = 1.1925
    expect(demandAt(19.2 * 3600, { rain: 0, isWeekend: true })).toBeCloseTo(1.1925, 3);
  });

  test('medians of many draws are those of the table', () => {
    const prng = new Prng(7);
    const merchant = { prepMeanMinutes: 13, prepCv: 0.35, waitMinutes: 2.2 };
    const order = {
      merchant,
      placedAt: 0,
      openOrders: 1,
      itemCount: 2,
      handoverMeanMinutes: 2.6,
      dropoffFloor: 3,
    };
    const draws = Array.from({ length: 4000 }, () => drawTimes(order, dry, prng));
    // At night the load is 0.1: kitchen 0.78 + 0.025 = 0.805; σ² = ln(1 + 0.1225) = 0.1156;
    // 780 · 0.805 · exp(−0.0578) = 592.6 s
    expect(median(draws.map(({ prepSeconds }) => prepSeconds)) / 592.6).toBeCloseTo(1, 1);
    expect(median(draws.map(({ waitSeconds }) => waitSeconds)) / (132 * 0.74 * 1.05)).toBeCloseTo(1, 1);
    expect(median(draws.map(({ handoverSeconds }) => handoverSeconds)) / (156 + 33)).toBeCloseTo(1, 1);
    // car: 1.12 + 0.6 · (0.12 + 0.45 · 0.1) + 0.08 · 0.1 = 1.227
    const rides = Array.from({ length: 4000 }, () => drawRideFactor('car', 0, dry, prng));
    expect(trafficAt(0, dry)).toBeCloseTo(0.165);
    expect(median(rides)).toBeCloseTo(1.227, 1);
  });
});

describe('Prng', () => {
  test('is the same on every machine, and about uniform', () => {
    const prng = new Prng(1);
    expect([prng.next(), prng.next()]).toEqual([1580013426, 350525680]);
    const draws = Array.from({ length: 10_000 }, () => prng.whole(1, 4));
    for (const value of [1, 2, 3, 4])
      expect(draws.filter((draw) => draw === value).length / 2500).toBeCloseTo(1, 0);
    expect(prng.weighted([0, 1, 0])).toBe(1);
  });

  test('a seed hangs on every part of a name', () => {
    expect(seedOf(1, 'a', 1)).toBe(seedOf(1, 'a', 1));
    expect(new Set([seedOf(1, 'a'), seedOf(1, 'b'), seedOf(2, 'a'), seedOf(1, 'a', 0)]).size).toBe(4);
  });
});
