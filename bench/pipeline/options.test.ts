import { parseOptions } from './options';

test('the bundled day by default', () => {
  expect(parseOptions([])).toMatchObject({
    city: null,
    candidates: 2_000,
    shards: 4,
    roundsPerSecond: 5,
    templates: 12,
    together: 1,
    search: false,
  });
});

test('a city: 1,000 couriers × 2,000 orders with 100,000 candidates in shards of 4,096, one a second', () => {
  expect(parseOptions(['--city'])).toMatchObject({
    city: { couriers: 1_000, orders: 2_000, radiusMetres: 6_000, bundleOrders: 2 },
    candidates: 100_000,
    shards: 25,
    roundsPerSecond: 1,
    templates: 3,
  });
  expect(parseOptions(['--city', '--candidates', '8000', '--search'])).toMatchObject({
    shards: 2,
    search: true,
  });
});

test.each([
  [['--couriers', '5'], '--couriers is of a city'],
  [['--search'], '--search is of a city'],
  [['--city', '--candidates', '3000000'], '--candidates is 3000000: a whole number from 1 to 2000000'],
  [['--candidates', '30000'], '--candidates is 30000: a whole number from 1 to 20000'],
  [['--city', '--bundle-orders', '7'], '--bundle-orders is 7: a whole number from 1 to 6'],
])('%j is refused', (argv, reason) => expect(() => parseOptions(argv)).toThrow(reason));
