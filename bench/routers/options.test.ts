import { ArgumentsInvalid } from '#lib/command-line';
import { parseOptions } from './options';

test('defaults', () => {
  expect(parseOptions([])).toEqual({ seed: 1, engines: 1_000, workers: 20, durationMs: 3_000, real: 0 });
});

test.each([
  ['--seed', '0'],
  ['--engines', '199'],
  ['--workers', '101'],
  ['--duration', 'long'],
  ['--real', '-1'],
  ['--unknown'],
])('%s %s is refused', (...argv) => {
  expect(() => parseOptions(argv)).toThrow(ArgumentsInvalid);
});
