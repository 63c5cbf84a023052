import { parseOptions } from './options';

test('the default sizes, and flags', () => {
  expect(parseOptions([])).toEqual({
    problems: 20,
    highs: true,
    matchings: 40,
    firstCalls: 5,
    large: true,
  });
  expect(parseOptions(['--problems', '200', '--no-highs', '--no-large'])).toMatchObject({
    problems: 200,
    highs: false,
    large: false,
  });
});

test.each([
  [['--problems', 'many'], '--problems is many: a whole number from 1 to 10000'],
  [['--problem', '3'], 'did you mean --problems?'],
  [['--first-calls', '0'], '--first-calls is 0'],
])('%j is refused', (argv, reason) => {
  expect(() => parseOptions(argv)).toThrow(reason);
});
