import { Readable } from 'node:stream';
import { problemLine as line } from '../../test/support/route-problem';
import { RoutePlanner } from './route-planner';
import { answerLine, solveFile } from './solve-file';
import { MAX_LINE_BYTES, readLines } from './solve-lines';

async function solve(chunks: (string | Buffer)[]) {
  const answers: string[] = [];
  const malformed: string[] = [];
  const faultless = await solveFile(
    Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
    new RoutePlanner(),
    {
      answer: async (answer) => void answers.push(answer),
      malformed: (number, reason) => malformed.push(`${number}: ${reason}`),
    },
  );
  return { answers, malformed, faultless };
}

test('answers come in the order of the lines, whatever the chunks; blank lines and CRLF are passed over', async () => {
  const text = `${line(1)}\r\n\n${line(2)}\n${line(3)}`;
  const chunks = [text.slice(0, 30), text.slice(30, 400), text.slice(400)];
  expect(await solve(chunks)).toEqual({
    answers: ['1 11 2 1 3', '2 11 2 1 3', '3 11 2 1 3'],
    malformed: [],
    faultless: true,
  });
});

test('a malformed line is named and the others are answered', async () => {
  const { answers, malformed, faultless } = await solve([
    `${line(1)}\n{}\n${line(3, { t0: 0.5 })}\n${line(4)}\n`,
  ]);
  expect(answers).toEqual(['1 11 2 1 3', '4 11 2 1 3']);
  expect(malformed).toEqual([
    '2: field id is missing',
    '3: t0: 0.5 is no whole number within -2147483648..2147483647',
  ]);
  expect(faultless).toBe(false);
});

test('a problem whose cost could leave 64 bits is named', async () => {
  const { malformed } = await solve([
    line(1, { w: [2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 1], t0: 2 ** 31 - 1 }),
  ]);
  expect(malformed).toEqual(['1: the problem could cost more than 2^62: weights and times are too large']);
});

test('a problem that no sequence solves is infeasible, which is an answer', async () => {
  expect(await solve([line(5, { Q: 0 })])).toEqual({
    answers: ['5 infeasible'],
    malformed: [],
    faultless: true,
  });
});

test('no problem at all has no answer', async () => {
  expect(await solve([''])).toEqual({ answers: [], malformed: [], faultless: true });
});

test('bytes that are no UTF-8 and a line without end are named, in bounded memory', async () => {
  const long = Buffer.alloc(MAX_LINE_BYTES + 1, 'x');
  const { answers, malformed } = await solve([Buffer.from([0xff, 0x0a]), long, `\n${line(1)}\n`]);
  expect(malformed).toEqual(['1: not UTF-8', `2: longer than ${MAX_LINE_BYTES} bytes`]);
  expect(answers).toEqual(['1 11 2 1 3']);
});

test('the lines that a chunk ended come before the next chunk is read', async () => {
  const lines = readLines(Readable.from([Buffer.from('a\nb'), Buffer.from('c\n')]));
  const first = (await lines.next()).value as { bytes: Buffer }[];
  expect(first.map(({ bytes }) => bytes.toString())).toEqual(['a']);
});

test('an answer says when the heuristic gave it', () => {
  const plan = { feasible: true, unproven: true, cost: -(2n ** 61n), stops: [2, 1], nodes: 1n };
  expect(answerLine(3, plan)).toBe('3 -2305843009213693952 2 1 unproven');
  expect(answerLine(3, { ...plan, feasible: false, stops: [] })).toBe('3 infeasible unproven');
});
