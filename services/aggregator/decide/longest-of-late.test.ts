import { LongestOfLate } from './longest-of-late';

test('what was seen counts for the ten seconds of its span, and the longest of them', () => {
  let now = 20_500;
  const longest = new LongestOfLate(() => now);
  expect(longest.ms()).toBe(0);
  longest.took(80);
  longest.took(30); // of the same second: 80 stays
  now = 25_000;
  longest.took(50);
  now = 29_999; // seconds 20 to 29 are the last ten
  expect(longest.ms()).toBe(80);
  now = 30_000; // seconds 21 to 30
  expect(longest.ms()).toBe(50);
  longest.took(10);
  now = 35_000;
  expect(longest.ms()).toBe(10);
  now = 40_000;
  expect(longest.ms()).toBe(0);
});

test('a clock that is set back forgets nothing, and holds nothing for longer', () => {
  let now = 20_000;
  const longest = new LongestOfLate(() => now);
  longest.took(80);
  now = 5_000;
  longest.took(20);
  expect(longest.ms()).toBe(80);
  now = 15_000; // seconds 6 to 15
  expect(longest.ms()).toBe(0);
});
