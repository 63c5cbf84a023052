import { parseOptions } from './options';

test('the default sizes, and flags', () => {
  expect(parseOptions([])).toEqual({ seconds: 20, visits: 10 });
  expect(parseOptions(['--seconds', '5', '--visits', '2'])).toEqual({ seconds: 5, visits: 2 });
});

test.each([
  [['--seconds', '0'], '--seconds is 0: a whole number from 1 to 3600'],
  [['--visit', '3'], 'did you mean --visits?'],
])('%j is refused', (argv, reason) => {
  expect(() => parseOptions(argv)).toThrow(reason);
});
