import { parseOptions } from './options';

test('both ways by default, each with deadlines of its own; one where it is asked for', () => {
  expect(parseOptions([])).toMatchObject({
    kills: 50,
    by: 'sigkill',
    ways: [
      { standby: true, deadlineMs: 1_000 },
      { standby: false, deadlineMs: 5_000 },
    ],
  });
  expect(parseOptions(['--standby', '0', '--kills', '3'])).toMatchObject({
    kills: 3,
    ways: [{ standby: false, deadlineMs: 5_000 }],
  });
});

test.each([
  [['--standby', '2'], /--standby is 2: a whole number from 0 to 1/],
  [['--kills', '0'], /--kills is 0: a whole number from 1 to 1000/],
  [['--by', 'oom'], /--by is oom: one of sigkill, illegal-address/],
  [['--kill', '5'], /unknown flag --kill: did you mean --kills\?/],
])('%j is refused', (argv, message) => {
  expect(() => parseOptions(argv)).toThrow(message);
});
