import { splitWords, timeFlag } from '../positionals';
import { parseRecord } from './options';
import { nextSliceMs } from './slices';

const now = Date.parse('2026-11-30T12:00:00Z');
const parse = (...argv: string[]) => parseRecord(argv, now);

test('a range, and what is left out', () => {
  expect(parse('--out', 'r', '--from', '90m', '--to', '+10s', '--personal', 'p', '--quiet')).toEqual({
    out: 'r',
    range: { from: now - 5_400_000, to: now + 10_000, byNow: ['from', 'to'] },
    personal: 'p',
    quiet: true,
  });
  expect(parse('--out', 'r')).toEqual({ out: 'r', range: null, personal: null, quiet: false });
  expect(parse('--out', 'r', '--from', '2026-11-30').range).toEqual({
    ...{ from: now - 43_200_000, to: now, byNow: ['to'] },
  });
  expect(parse('--out', 'r', '--from', '1700000000000', '--to', '2026-11-30').range?.byNow).toEqual([]);
});

test.each([
  [['--from', '1h'], '--out is needed'],
  [['--out', 'r', '--to', '1h'], '--from is needed'],
  [['--out', 'r', '--from', 'yesterday'], '--from is yesterday: one of Unix ms'],
  [['--out', 'r', '--from', '1h', '--to', '2h'], '--to is not after --from'],
  [['--out', 'r', '--from', '2026-13-01'], '--from is 2026-13-01'],
  [['more', '--out', 'r'], 'more is one word too many'],
  [['--out', 'r', '--form', '1h'], 'did you mean --from?'],
])('%j is refused', (argv, reason) => {
  expect(() => parse(...argv)).toThrow(reason);
});

test('times and words', () => {
  expect(timeFlag('t', '1800000000000', now)).toBe(1_800_000_000_000);
  expect(timeFlag('t', '-2d', now)).toBe(now - 172_800_000);
  expect(timeFlag('t', 'now', now)).toBe(now);
  expect(timeFlag('t', '2026-11-30T13:00:00.5+01:00', now)).toBe(now + 500);
  expect(splitWords(['a', 'b', '--c', 'd'], ['A', 'B'])).toEqual({ words: ['a', 'b'], flags: ['--c', 'd'] });
  expect(() => splitWords(['a'], ['A', 'B'])).toThrow('B is needed before the flags');
});

test('slices grow fourfold at most and hold about 16 MiB', () => {
  const mebibyte = 1024 * 1024;
  expect(nextSliceMs(60_000, 0)).toBe(240_000);
  expect(nextSliceMs(60_000, 8 * mebibyte)).toBe(120_000);
  expect(nextSliceMs(60_000, 160 * mebibyte)).toBe(6_000);
  expect(nextSliceMs(2_000_000, 0)).toBe(3_600_000);
  expect(nextSliceMs(1_000, 1e12)).toBe(1_000);
});
