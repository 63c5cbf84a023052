import { deepest, fieldsOf, TooDeep, wholeNumber, type ConfigField } from './config-text';

/** Without places, to be read in a line. */
function shown(fields: readonly ConfigField[]): unknown[] {
  return fields.map(({ name, value, fields: inner }) => [name, value || shown(inner)]);
}

test.each([
  ['max_batch_size: 8', [['max_batch_size', '8']]],
  [
    'a: 1, b: KIND_CPU; c: -1 d: 1.5e+3',
    [
      ['a', '1'],
      ['b', 'KIND_CPU'],
      ['c', '-1'],
      ['d', '1.5e+3'],
    ],
  ],
  [
    'g { count: 2 } g: < count: 3 >',
    [
      ['g', [['count', '2']]],
      ['g', [['count', '3']]],
    ],
  ],
  [
    'g [ { count: 2 }, < count: 3 > ]',
    [
      ['g', [['count', '2']]],
      ['g', [['count', '3']]],
    ],
  ],
  [
    'dims: [ -1, 2 ] kinds: [A,B]',
    [
      ['dims', '-1'],
      ['dims', '2'],
      ['kinds', 'A'],
      ['kinds', 'B'],
    ],
  ],
  ['dims: [] g: [ ] a: 1', [['a', '1']]],
  [
    `k: "x { # \\" count: 5" 'and' 'more' # } count: 6\na: 'count: 7'`,
    [
      ['k', '"x { # \\" count: 5"'],
      ['a', "'count: 7'"],
    ],
  ],
  [
    'a{b{c:1}}d:2',
    [
      ['a', [['b', [['c', '1']]]]],
      ['d', '2'],
    ],
  ],
])('%s', (text, fields) => {
  expect(shown(fieldsOf(text))).toEqual(fields);
});

test('places are those of values', () => {
  expect(fieldsOf('# a\n\ng {\n  count: 5\n}')).toMatchObject([
    { name: 'g', line: 3, column: 3, fields: [{ name: 'count', line: 4, column: 10 }] },
  ]);
});

test.each([
  '',
  '}',
  '} a: 1',
  'a',
  'a:',
  'a {',
  'a [',
  'a: [ 1',
  '"',
  "a: '",
  ': : [',
  '[x.y/z]: 3',
  '\u0000{',
])('what the core refuses is read all the same: %j', (text) => {
  expect(() => fieldsOf(text)).not.toThrow();
});

test('messages in messages end somewhere', () => {
  const nested = (levels: number) => 'a{'.repeat(levels) + '}'.repeat(levels);
  expect(() => fieldsOf(nested(deepest))).not.toThrow();
  expect(() => fieldsOf(nested(deepest + 1))).toThrow(TooDeep);
  expect(() => fieldsOf('a{'.repeat(100_000))).toThrow(TooDeep);
});

test.each([
  ['10', 10],
  ['0x1F', 31],
  ['010', 8],
  ['0', 0],
  ['-3', -3],
  ['1.5', null],
  ['1e3', null],
  ['"9"', null],
  ['08', 8],
  ['', null],
])('%j is the whole number %j', (value, number) => {
  expect(wholeNumber(value)).toBe(number);
});
