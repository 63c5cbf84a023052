import { PartitionWindow } from './partition-window';

test('commits a contiguous prefix of what was resolved in any order', () => {
  const window = new PartitionWindow(4);
  for (const offset of [10n, 11n, 12n, 15n]) window.take(offset); // 13 and 14 are gaps of the log
  expect(window.hasRoom()).toBe(false);
  expect(window.resolve(11n)).toBe(false);
  expect(window.committable).toBeNull();
  expect(window.resolve(10n)).toBe(true);
  expect(window.committable).toBe(12n); // 10 and 11 are done
  expect(window.resolve(15n)).toBe(false);
  expect(window.resolve(12n)).toBe(true);
  expect(window.committable).toBe(16n); // 12 and 15 are done, nothing is between them
  expect(window.inFlight).toBe(0);
});

test('a slow head keeps the window full, whatever is done behind it', () => {
  const window = new PartitionWindow(2);
  window.take(0n);
  window.take(1n);
  window.resolve(1n);
  expect(window.hasRoom()).toBe(false);
  window.resolve(0n);
  expect(window.hasRoom()).toBe(true);
});

test('resolving twice, or what was never taken, changes nothing', () => {
  const window = new PartitionWindow(2);
  window.take(5n);
  expect(window.resolve(4n)).toBe(false);
  expect(window.resolve(5n)).toBe(true);
  expect(window.resolve(5n)).toBe(false);
  expect(window.inFlight).toBe(0);
});

test('is full by bytes too; a message above the limit has room alone', () => {
  const window = new PartitionWindow(10, 100);
  expect(window.hasRoom(500)).toBe(true);
  window.take(0n, 500);
  expect(window.hasRoom(1)).toBe(false);
  window.resolve(0n);
  window.take(1n, 60);
  expect(window.hasRoom(40)).toBe(true); // 60 + 40 = 100
  expect(window.hasRoom(41)).toBe(false);
  window.take(2n, 40);
  window.resolve(2n); // done, though not yet committable: its bytes are free
  expect(window.hasRoom(40)).toBe(true);
});
