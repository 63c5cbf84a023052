import { ceilSqrt, distanceMetres, matrixTravelSeconds, projectPoints, travelSeconds } from './index';

test.each([
  [0, 0],
  [1, 1],
  [2, 2], // 1² = 1 < 2 ≤ 4 = 2²
  [4, 2],
  [5, 3],
])('the ceiling square root of %d is %d', (n, root) => {
  expect(ceilSqrt(n)).toBe(root);
});

test('the ceiling square root is exact around every large square', () => {
  for (let root = 94_906_200; root < 94_906_260; root += 1) {
    const square = root * root;
    if (!Number.isSafeInteger(square + 1)) continue;
    expect([ceilSqrt(square - 1), ceilSqrt(square), ceilSqrt(square + 1)]).toEqual([root, root, root + 1]);
  }
});

test('a number that is no exact whole one is refused', () => {
  for (const n of [-1, 1.5, NaN, 2 ** 53]) expect(() => ceilSqrt(n)).toThrow(RangeError);
});

test('a distance rounds up to whole metres', () => {
  expect(distanceMetres(3, -4)).toBe(5);
  expect(distanceMetres(1, 1)).toBe(2); // sqrt(2) = 1.41…
});

test('travel rounds up to the quantum once, from the rounded distance', () => {
  // 1,000 m at 18,000 m/h: 1,000 · 3,600 / 18,000 = 200 s.
  expect(travelSeconds(1_000, 18_000, 1, 1_000)).toBe(200);
  expect(travelSeconds(1_001, 18_000, 1, 1_000)).toBe(201); // 200.2 s
  // MDRP: 320 m/min = 19,200 m/h in whole minutes: 641 m = 2.003 min = 3 min.
  expect(travelSeconds(640, 19_200, 60, 1_000)).toBe(120);
  expect(travelSeconds(641, 19_200, 60, 1_000)).toBe(180);
  // Factor 1.25: 1,000 m take 250 s.
  expect(travelSeconds(1_000, 18_000, 1, 1_250)).toBe(250);
  expect(travelSeconds(0, 18_000, 60, 1_000)).toBe(0);
});

test('matrix seconds take the factor and the quantum', () => {
  expect(matrixTravelSeconds(100, 60, 1_000)).toBe(120);
  expect(matrixTravelSeconds(100, 1, 1_005)).toBe(101); // 100.5 s
});

test('planar points are rounded to whole metres', () => {
  expect(projectPoints('planar', [{ x: 1.4, y: -0.2 }])).toEqual([{ x: 1, y: 0 }]);
});

test('WGS84 points become metres about a half-degree origin', () => {
  // One degree of a great circle is 6,371,008.8 m · π / 180 = 111,195.08 m; the origin is (10.5, 60.0).
  const [a, b, c] = projectPoints('wgs84', [
    { x: 10.5, y: 60 },
    { x: 10.6, y: 60 },
    { x: 10.5, y: 60.1 },
  ]);
  expect(a).toEqual({ x: 0, y: 0 });
  expect(b).toEqual({ x: 5_560, y: 0 }); // 0.1° · 111,195.08 · cos 60° = 5,559.75
  expect(c).toEqual({ x: 0, y: 11_120 }); // 11,119.51
});

test('a zone across the antimeridian stays together', () => {
  const [west, east] = projectPoints('wgs84', [
    { x: 179.99, y: 0 },
    { x: -179.99, y: 0 },
  ]);
  // 0.02° · 111,195.08 m = 2,223.9 m, each end rounded to a metre by itself.
  expect(Math.abs(east!.x - west!.x - 2_224)).toBeLessThanOrEqual(1);
});
