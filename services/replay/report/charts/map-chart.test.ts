import { axesOf } from './map-chart';

// Guards against all places as the arguments of one call: more than some 100,000 overflow the stack.
test('a round with 200,000 places has axes', () => {
  const places = Array.from({ length: 200_000 }, (_, i) => [i, i] as const);
  const { xAxis } = axesOf(places, false) as { xAxis: { min: number; max: number } };
  expect(xAxis.min).toBeLessThanOrEqual(0);
  expect(xAxis.max).toBeGreaterThanOrEqual(199_999);
});
