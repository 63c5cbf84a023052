import { Episodes } from './episodes';
import { inShort, state } from '../../test/support/episodes-in-short';
import { readEpisodes, writeEpisodes } from './stored-episodes';

const kafka = state('kafka');
const empty = state('group-empty', ['kafka']);
const dead = state('dead', [], 1);

function setUp(before?: Episodes, at = 0) {
  const episodes = new Episodes();
  if (before !== undefined) episodes.restore(readEpisodes(writeEpisodes(before.stored(), 1e6)), at);
  return inShort(episodes);
}

test('what is over is kept with its consequences and its cost', () => {
  const first = setUp();
  first.look(1_000, kafka, empty);
  first.episodes.suffered(
    [{ signal: state('rounds:late', ['kafka'], 1), cost: 'late', from: 900, to: 2_000 }],
    2_000,
  );
  first.look(3_000);
  const second = setUp(first.episodes, 10_000);
  expect(second.short()).toEqual(['kafka > group-empty 1000-3000 ×0 1/0']);
  second.look(12_000);
  expect(second.short()).toEqual(first.short());
});

test('what lasts and is seen again within half a minute goes on; its signs explain as before', () => {
  const first = setUp();
  first.look(1_000, kafka);
  const second = setUp(first.episodes, 9_000);
  expect(second.episodes.standing()).toMatchObject([{ cause: 'kafka', endedAt: null }]);
  second.look(11_000, kafka, empty);
  expect(second.short()).toEqual(['kafka > group-empty 1000- ×0 0/0']);
  const third = setUp(second.episodes, 20_000);
  third.look(20_500, empty);
  // Kafka answers by then; the group that is still empty follows from it
  expect(third.short()).toEqual(['kafka > group-empty 1000-20500 ×0 0/0']);
});

test('after a longer absence it ended when it was seen last, and is another one if it is there again', () => {
  const first = setUp();
  first.look(1_000, kafka);
  const second = setUp(first.episodes, 31_001);
  expect(second.short()).toEqual(['kafka 1000-1000 ×0 0/0']);
  second.look(32_000, kafka);
  expect(second.short()).toEqual(['kafka 32000- ×0 0/0', 'kafka 1000-1000 ×0 0/0']);
  // The first look is later than half a minute after the last sign, the restoring was not
  const third = setUp(first.episodes, 31_000);
  third.look(31_500, kafka);
  expect(third.short()).toEqual(['kafka 31500- ×0 0/0', 'kafka 1000-1000 ×0 0/0']);
});

test('read late, it stands behind what is there by then, and begins what is the same', () => {
  const first = setUp();
  first.look(1_000, kafka);
  first.look(2_000, kafka, dead);
  const second = setUp();
  second.look(20_000, kafka);
  second.episodes.restore(first.episodes.stored(), 25_000);
  expect(second.short()).toEqual(['kafka 1000- ×0 0/0', 'dead 2000-2000 ×1 0/0']);
  const other = setUp();
  other.look(20_000, dead);
  other.episodes.restore(first.episodes.stored(), 25_000);
  expect(other.short()).toEqual(['dead 2000-20000 ×2 0/0', 'kafka 1000-2000 ×0 0/0']);
});

test('of a clock that was ahead nothing is left in the future', () => {
  const first = setUp();
  first.look(101_000, kafka);
  first.look(103_000);
  const second = setUp(first.episodes, 50_000);
  // It ended at 103,000: 53,000 ms ahead
  expect(second.short()).toEqual(['kafka 48000-50000 ×0 0/0']);
});

test('one of a time far ahead is left out, and moves none of the others', () => {
  const first = setUp();
  first.look(1_000, kafka);
  first.look(3_000);
  const [over] = first.episodes.stored();
  const odd = { ...over!, signal: dead, endedAt: 4_102_444_800_000, seenAt: 4_102_444_800_000 };
  const second = setUp();
  expect(second.episodes.restore([over!, odd], 10_000)).toBe(1);
  expect(second.short()).toEqual(['kafka 1000-3000 ×0 0/0']);
  expect(second.episodes.restore(second.episodes.stored(), 10_000)).toBe(0);
});
