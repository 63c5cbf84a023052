import { parseOptions } from './options';

test('without flags both policies are compared', () => {
  expect(parseOptions([])).toMatchObject({
    mode: 'compare',
    load: 0.8,
    light: [320, 320],
    heavy: [576, 576, 576],
    deadlineMs: [5_000, 10_000],
    engines: ['auto'],
  });
});

test('a load is any number, one deadline is for all, engines are lists', () => {
  const options = parseOptions(['--scale', '--load', '0.35', '--deadline', '80', '--engines', '0|0;1']);
  expect(options).toMatchObject({ mode: 'scale', load: 0.35, deadlineMs: [80, 80], engines: ['0', '0;1'] });
});

test('layers of one width are written once', () => {
  expect(parseOptions(['--heavy', '64x3-8']).heavy).toEqual([64, 64, 64, 8]);
});

test('limits of memory are runs of their own', () => {
  const given = ['--memory', '--gpu-memory-limit', '24000000000-8000000000'];
  expect(parseOptions(given)).toMatchObject({ mode: 'memory', gpuMemoryLimits: [24e9, 8e9] });
  expect(parseOptions(['--memory']).gpuMemoryLimits).toEqual([]);
});

test.each([
  [['--memory', '--gpu-memory-limit', '24GB'], '--gpu-memory-limit is 24GB: bytes'],
  [['--memory', '--gpu-memory-limit', '0'], '--gpu-memory-limit is 0'],
  [['--scale', '--pool'], '--scale and --pool: one of them'],
  [['--heavy', '320-0'], '--heavy is 320-0: at most 128 widths above 0'],
  [['--heavy', '8x129'], '--heavy is 8x129: at most 128'],
  [['--heavy', 'wide'], '--heavy is wide'],
  [['--deadline', '800-200'], 'the first is above the second'],
  [['--deadline', '1-2-3'], 'at most 2 whole numbers'],
  [['--load', '-1'], '--load'],
  [['--runs', '0'], '--runs is 0: a whole number from 1 to 1000'],
])('%p is refused', (argv, why) => {
  expect(() => parseOptions(argv)).toThrow(why);
});
