import { HandOvers } from './hand-overs';

let now: number;
const handOvers = () => new HandOvers<string>(150, () => now);

beforeEach(() => (now = 1_000));

test('a third of the margin is kept for a hand-over where none took longer', () => {
  const own = handOvers();
  expect(own.neededMs()).toBe(50); // 150 / 3
  own.began('a');
  now += 33;
  own.ended('a');
  expect(own.neededMs()).toBe(50); // 1.5 · 33 = 49.5
});

// Guards against decisions that are made too late because nothing is known yet of the hand-over that is slow right now.
test('one that is under way counts with what it has taken by now, and the longest for ten seconds', () => {
  const own = handOvers();
  own.began('a');
  now += 20;
  own.began('b');
  now += 60;
  expect(own.neededMs()).toBe(120); // a: 1.5 · 80
  own.ended('a');
  own.ended('none that began');
  now += 100;
  expect(own.neededMs()).toBe(240); // b: 1.5 · 160
  own.ended('b');
  expect(own.neededMs()).toBe(240);
  now = 11_000; // b ended in the second from 1,000 on
  expect(own.neededMs()).toBe(50);
});

test('one that begins again, since its round was stale, is counted from then on', () => {
  const own = handOvers();
  own.began('a');
  now += 40;
  own.began('a');
  now += 100;
  own.ended('a');
  own.ended('a');
  expect(own.neededMs()).toBe(150); // 1.5 · 100, not 1.5 · 140
});
