import { CostModel } from './cost-model';
import { phases, phaseTimes } from './phases';

const etr = phases.indexOf('etr');
const decode = phases.indexOf('decode');

/** 1 ms each a unit, 2 for ETR. */
const prior = (_model: string, size: number) =>
  phaseTimes({ decode: 1, copyIn: 1, etr: 2, or: 1, copyOut: 1, publish: 1 }).map((ms) => ms * size);

function modelOf(speeds: Record<string, number>): CostModel {
  const costs = new CostModel(prior);
  for (const [id, speed] of Object.entries(speeds)) costs.setSpeed(id, speed);
  return costs;
}

test('sizes within √2 are one class', () => {
  const costs = modelOf({});
  // 2·log2(100) = 13.29 and 2·log2(110) = 13.56: buckets 13 and 14; 2·log2(105) = 13.43: 13
  expect(costs.classOf('m', 100)).toBe(costs.classOf('m', 105));
  expect(costs.classOf('m', 100)).not.toBe(costs.classOf('m', 110));
  expect(costs.classOf('m', 100)).not.toBe(costs.classOf('other', 100));
});

test('the prior first: a device of half the speed takes twice as long, the processors do not', () => {
  const costs = modelOf({ fast: 1, slow: 0.5 });
  const cost = costs.classOf('m', 100);
  expect(costs.rates(cost, 'fast')[etr]).toBeCloseTo(2);
  expect(costs.rates(cost, 'slow')[etr]).toBeCloseTo(4);
  expect(costs.rates(cost, 'slow')[decode]).toBeCloseTo(1);
  expect(costs.isKnown(cost, 'fast')).toBe(false);
});

test('what was seen, then the nearest size, then another device by its speed', () => {
  const costs = modelOf({ fast: 1, slow: 0.5 });
  const cost = costs.classOf('m', 100);
  expect(costs.rates(costs.classOf('m', 200), 'fast')[etr]).toBeCloseTo(2);
  costs.observe(cost, 'fast', etr, 100, 50);
  expect(costs.rates(cost, 'fast')[etr]).toBeCloseTo(0.5); // 50 ms / 100
  expect(costs.rates(cost, 'fast')[decode]).toBeCloseTo(1); // not seen: as before
  const larger = costs.classOf('m', 200); // two buckets on
  expect(costs.rates(larger, 'fast')[etr]).toBeCloseTo(0.5);
  expect(costs.rates(cost, 'slow')[etr]).toBeCloseTo(1); // 0.5 / half the speed
  expect(costs.rates(costs.classOf('m', 10_000), 'fast')[etr]).toBeCloseTo(2); // 13 buckets on: the prior
});

test('its errors can be exported', () => {
  const costs = modelOf({ fast: 1 });
  costs.observe(costs.classOf('m', 100), 'fast', etr, 100, 300);
  // predicted 200 ms, took 300: off by half
  expect(costs.errors()).toEqual([
    {
      model: 'm',
      bucket: 13,
      deviceId: 'fast',
      phase: 'etr',
      observations: 1,
      msPerUnit: expect.closeTo(3),
      meanError: expect.closeTo(0.5),
      meanBias: expect.closeTo(0.5),
    },
  ]);
});

test('what was learned of a device is kept when it comes back', () => {
  const costs = modelOf({ fast: 1 });
  const cost = costs.classOf('m', 100);
  costs.observe(cost, 'fast', etr, 100, 50);
  costs.setSpeed('fast', 1);
  expect(costs.isKnown(cost, 'fast')).toBe(true);
});
