import { mostDepth, mostObjects, parseExactJson } from './exact-json';

const parse = (text: string) => parseExactJson(Buffer.from(text));

test('values as JSON has them, objects as maps', () => {
  expect(parse(' {"a": [1, -2.5e3, true, null, "x"], "__proto__": {}} ')).toEqual(
    new Map<string, unknown>([
      ['a', [1, -2500, true, null, 'x']],
      ['__proto__', new Map()],
    ]),
  );
  expect(parse('"\\u00e9\\n\\"\\\\\\ud83d\\ude00é"')).toBe('é\n"\\😀é');
  expect(parse('[]')).toEqual([]);
});

test('integers keep their digits', () => {
  // 2^53 + 1 is no double; 2^64 − 1 and −2^63 are the ends of 64 bits.
  expect(parse('[9007199254740991, 9007199254740993, 18446744073709551615, -9223372036854775808]')).toEqual([
    9007199254740991,
    9007199254740993n,
    18446744073709551615n,
    -9223372036854775808n,
  ]);
  // One of very many digits is a double: no time goes into making it exact.
  expect(parse('1'.repeat(1_000))).toBe(Infinity);
  expect(Object.is(parse('-0'), -0)).toBe(true);
});

test("Triton's words for what JSON has no number for", () => {
  expect(parse('[NaN, Infinity, -Infinity]')).toEqual([NaN, Infinity, -Infinity]);
});

test.each([
  ['', /character 0: the text ends too soon/],
  ['{', /character 1: expected a key/],
  ['{"a"}', /character 4: expected :/],
  ['{"a":1,}', /character 7: expected a key/],
  ['{"a":1 "b":2}', /character 7: expected , or }/],
  ['{"a":1,"a":2}', /"a" stands there twice/],
  ['[1,]', /character 3: no value begins here/],
  ['[1', /character 2: expected , or \]/],
  ['[007]', /"007" is no number/],
  ['[1234567890123456x]', /expected , or/],
  ['[01]', /"01" is no number/],
  ['[1.]', /"1\." is no number/],
  ['[+1]', /no value begins here/],
  ['[-]', /"-" is no number/],
  ['[1e]', /"1e" is no number/],
  ['[1-1]', /"1-1" is no number/],
  ['tru', /no value begins here/],
  ['[1] 2', /something after the end/],
  ['"a', /a string has no end/],
  ['"a\nb"', /a control character/],
  ['"\\x"', /an unknown escape/],
  ['"\\u12g4"', /an unknown escape/],
])('%j is refused with its place', (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test('nesting is bounded, so a deep text exhausts no stack', () => {
  expect(parse('['.repeat(mostDepth) + ']'.repeat(mostDepth))).toBeTruthy();
  expect(() => parse('['.repeat(1_000_000))).toThrow(/nested deeper than 64/);
});

test('objects are counted, values are not', () => {
  const of = (count: number) => `[${Array.from({ length: count }, () => '{}').join(',')}]`;
  expect(parse(of(mostObjects))).toHaveLength(mostObjects);
  expect(() => parse(of(mostObjects + 1))).toThrow(/more than 10000 objects/);
});

test('bytes that are no UTF-8 are refused', () => {
  expect(() => parseExactJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(/no UTF-8/);
});
