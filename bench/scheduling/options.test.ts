import { ArgumentsInvalid } from '#lib/command-line';
import { parseOptions } from './options';

test('defaults', () => {
  expect(parseOptions([])).toEqual({ seed: 1, traces: 5, bursts: 20 });
});

test.each([['--seed', '0'], ['--traces', '1.5'], ['--bursts', 'many'], ['--unknown']])(
  '%s %s is refused',
  (...argv) => {
    expect(() => parseOptions(argv)).toThrow(ArgumentsInvalid);
  },
);
