import { describeValue } from './fault-list';

test.each([
  ['text', 'abc', '"abc"'],
  ['a number', -0.5, '-0.5'],
  ['nothing', undefined, 'missing'],
  ['an array', [1, 2], 'an array of 2'],
  ['an object', { a: 1 }, 'an object'],
  // 80 UTF-16 units are kept: the quote and 79 letters.
  ['text of 79 letters', 'a'.repeat(79), `"${'a'.repeat(79)}…`],
  ['text cut within a pair', `${'a'.repeat(78)}😀`, `"${'a'.repeat(78)}…`],
  ['text cut behind a pair', `${'a'.repeat(77)}😀`, `"${'a'.repeat(77)}😀…`],
  ['half a pair', 'a\ud83d', '"a\\ud83d"'],
  ['long text', '\u0001'.repeat(1_000_000), `"${'\\u0001'.repeat(13)}\\…`],
])('%s is shown', (_, value, expected) => {
  expect(describeValue(value)).toBe(expected);
});
