import { sizeClasses } from './size-classes';

const MiB = 1_048_576;

test.each([1, 4, 64, 256, 16_384])(
  'a pool of %i MiB ascends in whole pages and stays within its size',
  (mebibytes) => {
    const classes = sizeClasses(mebibytes * MiB);
    let last = 0;
    for (const { slotBytes, count } of classes) {
      expect(slotBytes).toBeGreaterThan(last);
      expect(slotBytes % 4_096).toBe(0);
      expect(count).toBeGreaterThanOrEqual(2);
      last = slotBytes;
    }
    const total = classes.reduce((sum, { slotBytes, count }) => sum + slotBytes * count, 0);
    expect(total).toBeLessThanOrEqual(mebibytes * MiB);
  },
);

test('the pool that is used without other settings holds what gRPC messages may hold', () => {
  // 256 MiB x 25 % / (16 MiB + 64 KiB) = 3.98: three slots of the largest size.
  expect(sizeClasses(256 * MiB).at(-1)).toEqual({ slotBytes: 16 * MiB + 65_536, count: 3 });
});
