import { ownBytes } from './own-bytes';

test('a slice is copied, and lets go of the buffer that it is a part of', () => {
  const response = Buffer.alloc(4_194_304, 7);
  const own = ownBytes(response.subarray(100, 116));
  expect(own).toEqual(Buffer.alloc(16, 7));
  expect(own.buffer.byteLength).toBe(16);
  response.fill(0);
  expect(own).toEqual(Buffer.alloc(16, 7));
});

test('what has its buffer alone stays as it is; nothing at all, too', () => {
  const alone = Buffer.allocUnsafeSlow(16);
  expect(ownBytes(alone)).toBe(alone);
  expect(ownBytes(Buffer.alloc(0))).toHaveLength(0);
});
