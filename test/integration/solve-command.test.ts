import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { problemLine } from '../support/route-problem';
import { killedWithFile } from '../support/closed-with-file';

const program = projectPath('dist', 'native', 'planner', 'solve-main.js');
const solve = (args: string[], input = '') =>
  spawnSync(process.execPath, [program, ...args], { input, encoding: 'utf8', maxBuffer: 1 << 28 });

const line = (id: number) => `${problemLine(id)}\n`;

/** Eight orders in a row, each picked up and dropped off where the last one was: beyond the exact limit. */
const eight = () => {
  const orders = Array.from({ length: 8 }, (_, i) => ({
    ready: 0,
    promised: 0,
    pick: 2 * i + 1,
    drop: 2 * i + 2,
    new: 0,
  }));
  const row = new Array<number>(17).fill(0);
  return problemLine(9, { n: 8, m: 16, w: [1, 1, 1], orders, svc: row, T: row.map(() => row) });
};

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'solve-'))));
afterAll(() => rmSync(folder, { recursive: true }));

test('a file is answered line by line', () => {
  const file = join(folder, 'good.jsonl');
  writeFileSync(file, line(1) + line(2));
  expect(solve([file])).toMatchObject({ status: 0, stdout: '1 11 2 1 3\n2 11 2 1 3\n', stderr: '' });
});

test('- reads standard input; the heuristic says unproven, infeasible is an answer', () => {
  const tight = problemLine(4, { Q: 0 });
  const { status, stdout } = solve(['-'], `${eight()}\n${tight}`);
  expect(status).toBe(0);
  expect(stdout).toBe('9 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 unproven\n4 infeasible\n');
});

test('a malformed line is named with file, number and reason; the others are answered; exit code 1', () => {
  const file = join(folder, 'bad.jsonl');
  writeFileSync(file, `${line(1)}{"id": 2\n${line(3)}`);
  const { status, stdout, stderr } = solve([file]);
  expect(status).toBe(1);
  expect(stdout).toBe('1 11 2 1 3\n3 11 2 1 3\n');
  expect(stderr).toContain(`${file}:2: no JSON: `);
});

test.each([
  [['absent.jsonl'], 'absent.jsonl: there is no such file'],
  [['.'], '.: is a folder, not a file'],
  [[], 'one file is wanted'],
  [['a', 'b'], 'one file is wanted'],
  [['--fast'], 'unknown flag --fast'],
])('%j is refused in words, with the usage; exit code 2', (args, reason) => {
  const { status, stdout, stderr } = solve(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^${reason}\n\nnpm run --silent solve`));
});

test('each line of a producer that waits is answered at once', async () => {
  const child = spawn(process.execPath, [program, '-']);
  killedWithFile(child);
  const answer = () =>
    new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  child.stdin.write(line(1));
  expect(await answer()).toBe('1 11 2 1 3\n');
  child.stdin.write(line(2));
  expect(await answer()).toBe('2 11 2 1 3\n');
  child.stdin.end();
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});

test('a reader that has seen enough is no fault', () => {
  const many = join(folder, 'many.jsonl');
  writeFileSync(many, Array.from({ length: 30_000 }, (_, id) => line(id)).join(''));
  const script = `"${process.execPath}" "${program}" "${many}" | head -n 1; exit \${PIPESTATUS[0]}`;
  const run = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(run).toMatchObject({ status: 0, stdout: '0 11 2 1 3\n', stderr: '' });
});

const samples = join(process.env.SHARED_DIR ?? projectPath('..', 'shared'), 'or');
const files = (() => {
  try {
    return readdirSync(samples).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
})();
const optima = (file: string) =>
  readFileSync(join(samples, file.replace('.jsonl', '.optimal.csv')), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','))
    .map(([id, , cost, sequence]) => `${id} ${cost} ${sequence}`);

if (files.length === 0) {
  test.skip('the samples are solved (skipped: none in SHARED_DIR/or)', () => undefined);
} else {
  test.each(files)('%s: every optimum with the lexicographically smallest sequence', (file) => {
    const { status, stdout } = solve([join(samples, file)]);
    expect(status).toBe(0);
    expect(stdout.trim().split('\n')).toEqual(optima(file));
  });
}
