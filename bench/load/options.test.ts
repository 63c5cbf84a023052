import { parseOptions } from './options';

test('a sweep by default; rates of one’s own', () => {
  expect(parseOptions([])).toMatchObject({
    rates: null,
    start: 5,
    growth: 1.5,
    secondsEach: 20,
    deadlineMs: 1_000,
  });
  expect(parseOptions(['--rates', '2, 4.5,9'])).toMatchObject({ rates: [2, 4.5, 9] });
});

test.each([
  [['--growth', '1'], /--growth is 1: a number from 1.05 to 4/],
  [['--rates', '5,fast'], /--rates is 5,fast: numbers, separated by commas/],
  [['--rates', '0,5'], /--rates is 0,5: numbers from 0.1 to 10000/],
  [['--rate', '5'], /unknown flag --rate: did you mean --rates\?/],
])('%j is refused', (argv, message) => expect(() => parseOptions(argv)).toThrow(message));
