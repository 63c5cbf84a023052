import { parseOptions } from './options';

test('two hours by default', () => {
  expect(parseOptions([])).toEqual({ minutes: 120, seed: 1, roundsPerSecond: 4, calmSeconds: 30 });
});

test.each([
  [['--minutes', '0'], /--minutes is 0: a number from 0.5 to 2880/],
  [['--seed', '1.5'], /--seed is 1.5: a whole number/],
  [['--minuts', '5'], /unknown flag --minuts: did you mean --minutes\?/],
])('%j is refused', (argv, message) => expect(() => parseOptions(argv)).toThrow(message));
