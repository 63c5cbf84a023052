import { newTrace } from './decision-log';
import { bracketAndBisect, missOf, type Miss } from './search';

async function asked(start: number, largest: number): Promise<number[]> {
  const sizes: number[] = [];
  await bracketAndBisect(start, (size) => {
    sizes.push(size);
    return Promise.resolve(size <= largest);
  });
  return sizes;
}

test('upwards in steps of a half, then between what fits and what does not', async () => {
  // 100,000 and 150,000 fit, 225,000 does not; √(150,000 · 225,000) = 183,712 does not, 166,002 fits; 183,712 / 166,002 = 1.107; …
  const sizes = await asked(100_000, 170_000);
  expect(sizes.slice(0, 5)).toEqual([100_000, 150_000, 225_000, 183_712, 166_002]);
  const fits = sizes.filter((size) => size <= 170_000);
  expect(Math.max(...fits)).toBeGreaterThan(170_000 / 1.08);
});

test('downwards where the first is too large; nothing where none fits', async () => {
  expect((await asked(100_000, 50_000)).slice(0, 3)).toEqual([100_000, 66_667, 44_445]);
  const none = await asked(1_000, 0);
  expect(Math.min(...none)).toBeGreaterThanOrEqual(100);
});

test('it ends at the largest size that there is', async () => {
  expect(Math.max(...(await asked(1_000_000, Infinity)))).toBe(1_500_000);
});

const inTime = { decidedAt: 1_900, closedBy: 'complete', coverage: 1 } as const;

test.each<[string, object, Miss | null]>([
  ['in time, complete, with the full effort', inTime, null],
  ['at its deadline', { ...inTime, decidedAt: 2_000 }, null],
  ['refused', { ...inTime, refusal: '503 busy' }, 'refused'],
  ['without a decision', {}, 'undecided'],
  ['after its deadline and with less', { ...inTime, decidedAt: 2_001, coverage: 0.5 }, 'late'],
  ['closed by its deadline', { ...inTime, closedBy: 'deadline' }, 'incomplete'],
  ['complete, but not with all plans', { ...inTime, coverage: 0.99 }, 'incomplete'],
  ['with less than the full effort', { ...inTime, effort: 'reduced' }, 'inHaste'],
])('a round %s', (_, outcome, miss) => {
  expect(missOf({ ...newTrace(1_000, 2_000), ...outcome })).toBe(miss);
});
