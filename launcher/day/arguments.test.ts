import { ArgumentsInvalid } from '#lib/command-line';
import { parseStartArguments } from './arguments';

test('without arguments it is the bundled day', () => {
  const city = {
    kind: 'city',
    orders: 600,
    couriers: 60,
    seed: 20_181_130,
    roundMinutes: 5,
    deadlineMs: 2_000,
  };
  expect(parseStartArguments([])).toEqual(city);
});

test('an MDRP day with its folder, f and place for the solution', () => {
  expect(parseStartArguments(['--mdrp', 'days/a', '--f', '1', '--out', 'solution'])).toEqual({
    kind: 'mdrp',
    folder: 'days/a',
    out: 'solution',
    prepositioning: true,
    lateChanges: false,
    roundMinutes: 1,
    deadlineMs: 2_000,
  });
  expect(parseStartArguments(['--mdrp', 'days/a', '--no-prepositioning', '--late-changes'])).toMatchObject({
    prepositioning: false,
    lateChanges: true,
  });
});

test('serve and help', () => {
  expect(parseStartArguments(['--serve'])).toEqual({ kind: 'serve' });
  expect(parseStartArguments(['-h'])).toEqual({ kind: 'help' });
});

test.each([
  [['--mrdp', 'x'], '--mrdp'],
  [['days'], 'days'],
  [['--mdrp'], '--mdrp'],
  [['--mdrp', ''], '--mdrp needs a folder'],
  [['--f', '0'], '--f is 0: a whole number from 1 to 60'],
  [['--f', '2.5'], '--f is 2.5'],
  [['--deadline-ms', '199'], 'from 200 to 600000'],
  [['--orders', '1e3'], '--orders is 1e3'],
  [['--out', 'x'], '--out needs --mdrp'],
  [['--no-prepositioning'], '--no-prepositioning needs --mdrp'],
  [['--late-changes'], '--late-changes needs --mdrp'],
  [['--serve', '--f', '5'], '--f has no meaning with --serve'],
  [['--mdrp', 'x', '--seed', '1'], '--seed has no meaning with --mdrp'],
])('%j is refused', (argv, message) => {
  expect(() => parseStartArguments(argv)).toThrow(ArgumentsInvalid);
  expect(() => parseStartArguments(argv)).toThrow(message);
});

test('all faults come at once', () => {
  expect(() => parseStartArguments(['--f', 'x', '--orders', '0', '--out', 'y'])).toThrow(
    /--out needs[^]*--f is x[^]*--orders is 0/,
  );
});
