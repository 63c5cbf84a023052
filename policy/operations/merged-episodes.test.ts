import { Episodes } from './episodes';
import { inShort, state } from '../../test/support/episodes-in-short';

const kafka = state('kafka');
const redis = state('redis');
const empty = state('group-empty', ['kafka']);
const dead = state('dead', [], 1);
const late = state('rounds:late', ['kafka'], 1);

function console() {
  const episodes = new Episodes();
  const suffer = (at: number) =>
    episodes.suffered([{ signal: late, cost: 'late', from: at - 500, to: at }], at);
  return { ...inShort(episodes), suffer };
}
type Console = ReturnType<typeof console>;
const merge = (into: Console, from: Console, at: number) => into.episodes.merge(from.episodes.stored(), at);

test('what both saw is one entry with the most of each, however often it is merged', () => {
  const [a, b] = [console(), console()];
  a.look(1_000, kafka, dead);
  a.suffer(2_000);
  a.look(3_000, kafka, dead);
  a.look(4_000);
  b.look(1_400, kafka, empty);
  b.look(5_000);
  for (let i = 0; i < 3; i += 1) {
    merge(a, b, 6_000);
    merge(b, a, 6_000);
  }
  // Kafka from 1,000 (a) to 5,000 (b), its one late round not twice; `dead` happened twice
  const both = ['kafka > group-empty 1000-5000 ×0 1/0', 'dead 1000-3000 ×2 0/0'];
  expect(a.short().sort()).toEqual(both.toSorted());
  expect(b.short().sort()).toEqual(both.toSorted());
});

test('what one alone saw is over for the other, until that sees it, too', () => {
  const [a, b] = [console(), console()];
  a.look(1_000, redis);
  b.look(1_000);
  merge(b, a, 2_000);
  expect(b.short()).toEqual(['redis 1000-1000 ×0 0/0']);
  a.look(20_000, redis);
  merge(b, a, 21_000);
  expect(b.short()).toEqual(['redis 1000-20000 ×0 0/0']);
  expect(b.episodes.standing()).toEqual([]);
  merge(a, b, 21_000);
  expect(a.short()).toEqual(['redis 1000- ×0 0/0']);
  b.look(22_000, redis);
  expect(b.short()).toEqual(['redis 1000- ×0 0/0']);
});

test('read late, what another one saw at the same time is not counted twice', () => {
  const [a, b] = [console(), console()];
  for (const at of [10_000, 11_000]) for (const one of [a, b]) one.look(at, dead);
  a.episodes.restore(b.episodes.stored(), 12_000);
  expect(a.short()).toEqual(['dead 10000-11000 ×2 0/0']);
});

test('what was there twice stays two entries', () => {
  const [a, b] = [console(), console()];
  for (const at of [1_000, 100_000]) {
    a.look(at, redis);
    a.look(at + 1_000);
  }
  merge(b, a, 102_000);
  merge(b, a, 103_000);
  expect(b.short()).toEqual(['redis 100000-101000 ×0 0/0', 'redis 1000-2000 ×0 0/0']);
  expect(b.short()).toEqual(a.short());
});

test('what one takes for a consequence does not come back as an entry', () => {
  const [a, b] = [console(), console()];
  b.look(1_000, empty);
  b.suffer(2_000);
  expect(b.short()).toEqual(['rounds:late 2000-2000 ×1 0/0', 'group-empty 1000- ×0 0/0']);
  a.look(1_000, kafka, empty);
  merge(a, b, 3_000);
  expect(a.short()).toEqual(['kafka > group-empty 1000- ×0 0/0']);
  // Much later it is nothing of Kafka's
  b.look(90_000, empty);
  merge(a, b, 91_000);
  expect(a.short()).toEqual(['group-empty 90000-90000 ×0 0/0', 'kafka > group-empty 1000- ×0 0/0']);
});

test('nothing is of later than now, nothing of far ahead is taken, and no more is kept than of one', () => {
  const [a, b] = [console(), console()];
  b.look(5_000, redis);
  merge(a, b, 4_000);
  expect(a.short()).toEqual(['redis 4000-4000 ×0 0/0']);
  const [stored] = b.episodes.stored();
  const many = Array.from({ length: 100 }, (_, i) => ({ ...stored!, signal: state(`s${i}`) }));
  a.episodes.merge([...many, { ...stored!, signal: kafka, seenAt: 9e12 }], 6_000);
  a.episodes.merge(many, 6_000);
  expect(a.short()).toHaveLength(60);
  expect(a.short().filter((line) => line.startsWith('kafka'))).toEqual([]);
});
