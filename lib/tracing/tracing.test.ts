import { newTraceContext, parseTraceParent, sampledTraceId, traceParentOf } from './trace-context';
import { TokenBucket } from './token-bucket';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const given = `00-${traceId}-${spanId}-01`;

test('a trace parent is read and written as it came', () => {
  const context = parseTraceParent(given, 'rojo=00f067aa0ba902b7')!;
  expect(context).toEqual({ traceId, spanId, isSampled: true, state: 'rojo=00f067aa0ba902b7' });
  expect(traceParentOf(context)).toBe(given);
});

test.each([
  ['no text', undefined],
  ['empty', ''],
  ['a forbidden version', `ff-${traceId}-${spanId}-01`],
  ['capital letters', given.toUpperCase()],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a parent of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['more in version 00', `${given}-what`],
  ['too short', given.slice(0, -1)],
  ['a line more', `${given}\n`],
  ['very long', `01-${traceId}-${spanId}-01-${'x'.repeat(300)}`],
])('%s is no trace parent', (_, text) => {
  expect(parseTraceParent(text)).toBeNull();
});

test('of a later version what version 00 has is read', () => {
  expect(parseTraceParent(`cc-${traceId}-${spanId}-01-more`)).toMatchObject({ traceId, isSampled: true });
});

test('only the lowest bit says that it is recorded', () => {
  const flagged = (flags: string) => parseTraceParent(`00-${traceId}-${spanId}-${flags}`)!.isSampled;
  expect(['00', '01', '02', '03', 'fe', 'ff'].map(flagged)).toEqual([false, true, false, true, false, true]);
});

test('a state that is too long, or no text of a header, is left out', () => {
  expect(parseTraceParent(given, 'a=1,'.repeat(200))!.state).toBe('');
  expect(parseTraceParent(given, 'a=\u0007')!.state).toBe('');
});

test('a trace of ours that is not recorded says so, and is no exemplar', () => {
  const text = traceParentOf(newTraceContext());
  expect(text).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect([text, 'x', null, given].map(sampledTraceId)).toEqual([undefined, undefined, undefined, traceId]);
});

test('a bucket gives so many a second', () => {
  let nowMs = 0;
  const bucket = new TokenBucket(3, () => nowMs);
  const taken = () => Array.from({ length: 5 }, () => bucket.take()).filter(Boolean).length;
  expect(taken()).toBe(3);
  nowMs = 400; // 0.4 s × 3 = 1.2
  expect(taken()).toBe(1);
  nowMs = 60_000;
  expect(taken()).toBe(3);
  expect(new TokenBucket(0).take()).toBe(false);
});
