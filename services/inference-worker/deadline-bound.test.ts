import type { UnixMs } from '#schemas/brands';
import { requireNearDeadline } from './deadline-bound';

const now = 1_700_000_000_000;
// Two days are 2 · 24 · 3,600 · 1,000 = 172,800,000 ms.
const at = (ms: number) => () => requireNearDeadline((now + ms) as UnixMs, now);

test('a shard may be due in two days, not later', () => {
  expect(at(172_800_000)).not.toThrow();
  expect(at(-1)).not.toThrow();
  expect(at(172_800_001)).toThrow(/^deadline 1700172800001: at most 172800000 ms after now$/);
  expect(() => requireNearDeadline((2 ** 52 - 1) as UnixMs)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_INVALID' }),
  );
});
