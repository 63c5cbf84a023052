import { parseOptions } from './options';

test('defaults: the whole trace', () => {
  expect(parseOptions(['--from', 't.jsonl'])).toEqual({
    from: 't.jsonl',
    chrome: null,
    svg: null,
    title: '',
    startMs: 0,
    lengthMs: null,
    width: 1_200,
  });
});

test.each([
  [[], '--from FILE is needed'],
  [['--from', 't', '--start', '-1'], '--start is -1'],
  [['--from', 't', '--width', '12'], 'a whole number from 300 to 20000'],
])('%j', (argv, fault) => {
  expect(() => parseOptions(argv)).toThrow(fault);
});
