import { ownPlace } from './own-place';

const root = '/app';
const frames = (...lines: string[]) => ['TypeError: x', ...lines.map((line) => `    at ${line}`)].join('\n');

test.each([
  ['f (/app/services/worker/a.ts:12:3)', 'services/worker/a.ts:12'],
  ['/app/lib/b-c.ts:7:1', 'lib/b-c.ts:7'],
  ['async Promise.all (index 0)', null],
  ['new URL (node:internal/url:797:36)', null],
  ['g (/app/node_modules/kafkajs/src/index.js:1:1)', null],
  ['h (/application/lib/a.ts:1:1)', null],
  ['h (/app/lib/a b.ts:1:1)', null],
  [`h (/app/${'a'.repeat(200)}.ts:1:1)`, null],
  ['i (file:///app/scripts/x.mjs:3:4)', 'scripts/x.mjs:3'],
])('%s', (line, place) => expect(ownPlace(frames(line), root)).toBe(place));

test('the innermost of ours counts; what the message says is no frame', () => {
  const inner = frames('new URL (node:internal/url:1:1)', 'f (/app/lib/a.ts:1:2)', 'g (/app/lib/b.ts:3:4)');
  expect(ownPlace(inner, root)).toBe('lib/a.ts:1');
  expect(ownPlace('Error: see /app/lib/secret.ts:1:2\n/app/lib/z.ts:3:4', root)).toBeNull();
  expect(ownPlace('', root)).toBeNull();
  const long = frames(`f (/app/lib/a.ts:1:2) ${'/'.repeat(1_000_000)}`, 'g (/app/lib/b.ts:3:4)');
  expect(ownPlace(long, root)).toBe('lib/b.ts:3');
});

test('of an error of this process', () => {
  expect(ownPlace(new Error('x').stack!)).toMatch(/^lib\/own-place\.test\.[jt]s:\d+$/);
});
