import { drills } from './all';
import { parseOptions } from './options';

test('all drills at full size by default; some where they are named', () => {
  expect(parseOptions([])).toMatchObject({
    drills,
    scale: 'full',
    seed: 1,
    alerts: true,
    quietRuns: 0,
    write: false,
  });
  const { drills: chosen, scale } = parseOptions(['--only', 'redis-cut,exits', '--quick']);
  expect([chosen.map(({ name }) => name), scale]).toEqual([['redis-cut', 'exits'], 'quick']);
});

test.each([
  [['--only', 'redis-cuts'], /no drill redis-cuts: did you mean redis-cut\?/],
  [['--only', 'everything-at-once'], /no drill everything-at-once: the drills are behind-a-long-job, /],
  [['--quiet-runs', '-1'], /--quiet-runs is -1: a whole number from 0 to 100/],
  [['--quik'], /unknown flag --quik: did you mean --quick\?/],
])('%j is refused', (argv, message) => expect(() => parseOptions(argv)).toThrow(message));

test('every row of PAINS.md has a drill, and no two have a name', () => {
  const rows = new Set(drills.map(({ row }) => row));
  const lacking = Array.from({ length: 20 }, (_, i) => `${i + 1}`).filter((row) => !rows.has(row));
  expect(lacking).toEqual([]);
  expect(new Set(drills.map(({ name }) => name)).size).toBe(drills.length);
});
