import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { BodyBudget } from '../read/body-budget';
import { readJson, requireJsonType } from './read-body';

function request(chunks: readonly string[], headers: Record<string, string> = {}): IncomingMessage {
  return Object.assign(Readable.from(chunks.map((text) => Buffer.from(text))), { headers }) as never;
}
const limits = { maxBytes: 100, maxElements: 1_000 };

describe('bytes in work', () => {
  test('a body beyond the budget is refused and gives back what it had taken', async () => {
    const budget = new BodyBudget(20);
    const [first, second] = [budget.open(), budget.open()];
    expect(await readJson(request(['[1,2,3,4,5,', '6,7]']), limits, first)).toHaveLength(7);
    // 15 of 20 bytes are taken; 3 more fit, the next 4 don't.
    const refused = readJson(request(['[1,', '2,3]']), limits, second);
    await expect(refused).rejects.toMatchObject({ code: 'INGEST_BUSY' });
    expect(budget.inWork).toBe(15);
    first.release();
    first.release();
    expect(budget.inWork).toBe(0);
    expect(await readJson(request(['[1,2,3]']), limits, second)).toHaveLength(3);
  });

  test('a body above the limit of one is too large, whatever else is in work', async () => {
    const budget = new BodyBudget(20);
    const share = budget.open();
    const large = readJson(request(['x'.repeat(101)]), limits, share);
    await expect(large).rejects.toMatchObject({ code: 'ROUND_TOO_LARGE' });
    expect(budget.inWork).toBe(0);
  });

  test('announced bytes alone take nothing', async () => {
    const budget = new BodyBudget(20);
    expect(await readJson(request(['[]'], { 'content-length': '100' }), limits, budget.open())).toEqual([]);
    expect(budget.inWork).toBe(2);
  });
});

test('too many values are refused before they are parsed', async () => {
  const share = new BodyBudget(100).open();
  const body = readJson(request(['[[],[],[],[]']), { ...limits, maxElements: 5 }, share);
  await expect(body).rejects.toMatchObject({ code: 'ROUND_TOO_LARGE' });
});

test.each([
  undefined,
  'application/json',
  'Application/JSON; charset=UTF-8',
  'application/json;charset="utf-8"',
  'application/json; profile=x',
])('content-type %s is JSON', (type) => expect(() => requireJsonType(type)).not.toThrow());

test.each([
  'application/xml',
  'text/plain;charset=UTF-8',
  'application/jsonx',
  'application/json; charset=latin1',
  'multipart/form-data',
  '',
])('content-type "%s" is not', (type) => {
  expect(() => requireJsonType(type)).toThrow(expect.objectContaining({ code: 'CONTENT_TYPE_UNSUPPORTED' }));
  expect(() => requireJsonType(type)).toThrow(/send application\/json in UTF-8/);
});
