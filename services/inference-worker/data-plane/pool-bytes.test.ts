import type { PlacedWork } from '../placement/placement';
import { poolBytesOf } from './pool-bytes';

const KiB = 1_024;

function bytes(of: ReturnType<typeof poolBytesOf>, model: string, bytesIn: number, bytesOut: number): number {
  const request = { model, version: '', requestId: 'r', inputs: [] };
  return of({ request, size: 1, bytesIn, bytesOut } satisfies Omit<PlacedWork, 'failedOn'>);
}

test('a slot for the tensors and one for the answer, each of the smallest size that holds it', () => {
  const of = poolBytesOf(64 * KiB * KiB);
  // 10 KiB in a slot of 72 KiB, 4 KiB in one of 8 KiB.
  expect(bytes(of, 'a', 10 * KiB, 4 * KiB)).toBe(80 * KiB);
});

test('what lies in the frame takes none; neither does what fits into no slot and goes by gRPC', () => {
  const of = poolBytesOf(64 * KiB * KiB);
  expect(bytes(of, 'a', 2 * KiB, 2 * KiB)).toBe(0);
  expect(bytes(of, 'b', 64 * KiB * KiB, 0)).toBe(0);
});

test('the slot for the answer is as large as the largest answer of the model needs', () => {
  const of = poolBytesOf(64 * KiB * KiB);
  bytes(of, 'a', 0, 60 * KiB);
  expect(bytes(of, 'a', 0, 4 * KiB)).toBe(72 * KiB);
  expect(bytes(of, 'b', 0, 4 * KiB)).toBe(8 * KiB);
});
