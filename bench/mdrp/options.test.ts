import { parseOptions } from './options';

test('folders, f and where to', () => {
  expect(parseOptions(['--dir', 'a', '--dir', 'b', '--f', '1', '--out', 'o', '--pipeline'])).toEqual({
    folders: ['a', 'b'],
    roundMinutes: 1,
    pipeline: true,
    prepositioning: true,
    lateChanges: false,
    out: 'o',
  });
  expect(parseOptions(['--dir', 'a', '--no-prepositioning']).prepositioning).toBe(false);
  expect(parseOptions(['--dir', 'a', '--late-changes']).lateChanges).toBe(true);
  expect(parseOptions(['--dir', 'a'])).toMatchObject({ roundMinutes: 5, pipeline: false, out: null });
});

test.each([
  [[], '--dir DIR is needed'],
  [['--dir', 'a', '--f', '0'], '--f is 0'],
  [['--dir', 'a', '--f', '5.5'], '--f is 5.5'],
  [['--dri', 'a'], '--dri'],
])('%j is refused', (argv, reason) => {
  expect(() => parseOptions(argv)).toThrow(reason);
});
