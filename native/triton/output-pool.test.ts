import { OutputPool } from './output-pool';

test('a buffer that was given back is used again for its size', () => {
  const pool = new OutputPool(1_000_000);
  const first = pool.take(5_000);
  expect(first.byteLength).toBe(8_192);
  pool.give(first);
  expect(pool.idleBytes).toBe(8_192);
  expect(pool.take(8_192)).toBe(first);
  expect(pool.take(8_192)).not.toBe(first);
  expect(pool.idleBytes).toBe(0);
});

test('no more than the bound lies idle', () => {
  const pool = new OutputPool(20_000);
  const buffers = Array.from({ length: 10 }, () => pool.take(8_192));
  for (const buffer of buffers) pool.give(buffer);
  // two of 8,192 fit into 20,000
  expect(pool.idleBytes).toBe(16_384);
});

test('nothing is asked for and still there is a buffer', () => {
  expect(new OutputPool(0).take(0).byteLength).toBe(4_096);
});
