import { inspect } from 'node:util';
import { Secret, isSecretText } from './secret';

test('a secret is shown nowhere but by reveal()', () => {
  const secret = new Secret('hunter2');
  const shown = [
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
  ];
  expect(shown.join()).not.toContain('hunter2');
  expect({ ...secret }).toEqual({});
  expect(secret.reveal()).toBe('hunter2');
});

test.each([
  ['', false],
  ['a', true],
  ['two\nlines', false],
  ['é'.repeat(2_048), true], // 4,096 bytes
  ['é'.repeat(2_048) + 'a', false],
])('%j is a secret: %s', (text, good) => {
  expect(isSecretText(text)).toBe(good);
});
