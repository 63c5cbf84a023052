import type { DayMetrics } from '#policy/simulation/day-metrics';
import { leaveOut, meanOf, ranked, type PointResults } from './leave-out';
import { parseSweep } from './options';
import { gridPoints, randomPoints, type Point } from './points';
import { ProgressBar, progressText } from './progress-bar';
import { csvTable, heldOutLines, tableRows, textTable } from './results-table';
import { spaceOf } from './space';

const space = (json: unknown) => spaceOf(json, 'space.json');

describe('a space', () => {
  test('grid: every combination, behind the policy as it is', () => {
    const grid = gridPoints(space({ a: [1, 2], b: { from: 1, to: 4, steps: 2 }, c: [null] }));
    expect(grid).toEqual([
      {},
      { a: 1, b: 1, c: null },
      { a: 1, b: 4, c: null },
      { a: 2, b: 1, c: null },
      { a: 2, b: 4, c: null },
    ]);
  });

  test('steps are even, in the logarithm where wanted, and whole ones differ', () => {
    const values = (range: object) =>
      gridPoints(space({ a: range }))
        .slice(1)
        .map(({ a }) => a);
    expect(values({ from: 1, to: 100, steps: 3, log: true })).toEqual([1, 10, 100]);
    expect(values({ from: 0, to: 1, steps: 3 })).toEqual([0, 0.5, 1]);
    expect(values({ from: 1, to: 2, steps: 5, whole: true })).toEqual([1, 2]);
  });

  test('by chance: the same for a seed, within the range, none twice', () => {
    const one = space({ a: { from: 1, to: 3, whole: true }, b: [true, false] });
    const points = randomPoints(one, 5, 7);
    expect(points).toEqual(randomPoints(one, 5, 7));
    expect(points).not.toEqual(randomPoints(one, 5, 8));
    expect(points).toHaveLength(6);
    expect(points[0]).toEqual({});
    // There are 3 · 2 points in all.
    expect(randomPoints(one, 100, 7)).toHaveLength(7);
    const logs = randomPoints(space({ a: { from: 1, to: 1_000, log: true } }), 50, 1).slice(1);
    for (const { a } of logs) expect((a as number) >= 1 && (a as number) <= 1_000).toBe(true);
  });

  test.each([
    [[], 'an object of parameters'],
    [{}, 'an object of parameters'],
    [{ a: 5 }, 'an array of values'],
    [{ a: [] }, 'an array of numbers'],
    [{ a: [[1]] }, 'an array of numbers'],
    [{ a: [1, 1] }, 'each value once'],
    [{ a: { from: 2, to: 1 } }, 'from below to'],
    [{ a: { from: 1, to: 2, step: 2 } }, 'step is none of'],
    [{ a: { from: 1, to: 2, steps: 1 } }, 'steps from 2 to 1000'],
    [{ a: { from: 0.5, to: 2, whole: true } }, 'whole from and to'],
    [{ a: { from: 0, to: 2, log: true } }, 'from above 0'],
    [{ a: { from: 0, to: 2, log: 1 } }, 'whole and log true or false'],
  ])('%j is refused', (json, reason) => {
    expect(() => space(json)).toThrow(reason);
  });

  test('all faults at once; a range without steps, and a grid too large', () => {
    expect(() => space({ a: 1, b: 2 })).toThrow(/space.json: a.*[^]*space.json: b/);
    expect(() => gridPoints(space({ a: { from: 1, to: 2 } }))).toThrow('steps, or --random N');
    const long = { from: 0, to: 1, steps: 1_000 };
    expect(() => gridPoints(space({ a: long, b: long }))).toThrow('1000000 points');
  });
});

/** By days, what each gave. */
const results = (point: Point, byDay: Record<string, number>): PointResults => ({
  point,
  days: new Map(
    Object.entries(byDay).map(([day, value]) => [
      day,
      { point, day, seconds: 1, metrics: { clickToDoor: value, overage: 2 * value } as DayMetrics },
    ]),
  ),
});

describe('days left out', () => {
  const asItIs = results({}, { x: 30, y: 30, z: 30 });
  const forX = results({ a: 1 }, { x: 10, y: 31, z: 31 });
  const forYZ = results({ a: 2 }, { x: 35, y: 29, z: 29 });
  const points = [asItIs, forX, forYZ];
  const days = ['x', 'y', 'z'];

  test('the choice is made without the day that judges it', () => {
    // All days: 30, 24, 31. Without x the best is a=2 (29), which is 35 on x: worse than as it is.
    expect(ranked(points, 'clickToDoor', days)[0]).toBe(forX);
    const held = leaveOut(points, { days, by: 'clickToDoor', count: 1 });
    expect(held.map(({ chosen, heldOutMean }) => [chosen, heldOutMean])).toEqual([
      [{ a: 2 }, 35],
      [{ a: 1 }, 31],
      [{ a: 1 }, 31],
    ]);
    expect(held[0]).toMatchObject({ days: ['x'], othersMean: 29, asItIs: 30 });
    // (35 + 31 + 31) / 3 = 32.333.
    expect(heldOutLines(held).at(-1)).toContain('32.333; as it is 30.000');
  });

  test('several at a time, or none', () => {
    const held = leaveOut(points, { days, by: 'clickToDoor', count: 2 });
    expect(held.map((one) => one.days)).toEqual([['x', 'y'], ['z']]);
    expect(leaveOut(points, { days, by: 'clickToDoor', count: 0 })).toEqual([]);
    expect(heldOutLines([])).toEqual([]);
  });

  test('a point without a result of a day has no mean and comes last', () => {
    const lame = results({ a: 3 }, { x: 1, y: 1 });
    expect(meanOf(lame, 'clickToDoor', days)).toBeNull();
    expect(ranked([lame, ...points], 'clickToDoor', days).at(-1)).toBe(lame);
    const only = leaveOut([lame], { days, by: 'clickToDoor', count: 1 });
    expect(only).toEqual([]);
  });

  test('no cell of a CSV is a formula', () => {
    expect(csvTable([['=1+1', '-12.5', '+4%', '-cmd', '@x', '\ty', 'a=b', '=a,b']])).toBe(
      "'=1+1,-12.5,+4%,'-cmd,'@x,'\ty,a=b,\"'=a,b\"\n",
    );
  });

  test('tables', () => {
    const rows = tableRows([forX, results({ b: 'x,"y"' }, { x: 1 })], 'clickToDoor', ['x']);
    expect(rows[0]!.slice(0, 3)).toEqual(['a', 'b', 'clickToDoor']);
    expect(rows[1]!.slice(0, 3)).toEqual(['1', '', '10.000']);
    // Nothing is changed of it: no empty cells among those of other points.
    const both = tableRows([forX, results({}, { x: 1 })], 'clickToDoor', ['x']);
    expect(both.map((row) => row[0])).toEqual(['a', '1', 'as it is']);
    expect(csvTable(rows)).toContain('"""x,\\""y\\"""""');
    expect(new Set(textTable(rows).map((line) => line.length)).size).toBe(1);
  });
});

describe('progress', () => {
  test('how much, and how long it will take', () => {
    // 10 of 40 in 60 s: 30 more in 180 s.
    expect(progressText(10, 40, 60_000)).toBe('[#######-----------------------] 10/40, 3 min left');
    expect(progressText(0, 2, 0)).toBe(`[${'-'.repeat(30)}] 0/2`);
    expect(progressText(2, 2, 9)).toBe(`[${'#'.repeat(30)}] 2/2`);
    expect(progressText(1, 11, 3_600_000)).toContain('10 h left');
  });

  test('a bar on a terminal, lines elsewhere', () => {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const bar = new ProgressBar(2, { isTTY: true, write });
    bar.step();
    bar.step();
    expect(written[0]).toMatch(/^\r.*1\/2/);
    expect(written[1]).toMatch(/2\/2\n$/);
    written.length = 0;
    const lines = new ProgressBar(100, { write });
    for (let i = 0; i < 100; i += 1) lines.step();
    expect(written).toHaveLength(10);
  });
});

test.each([
  [[] as string[], 'SPACE is needed'],
  [['s', '--out', 'o'], '--day is needed'],
  [['s', '--day', 'd'], '--out is needed'],
  [['s', '--day', 'd', '--day', 'd', '--out', 'o'], '--day d twice'],
  [['s', '--day', 'd', '--day', 'e', '--out', 'o', '--leave-out', '2'], 'fewer than the 2 days'],
  [['s', '--day', 'd', '--out', 'o', '--by', 'cost'], '--by is cost: one of penalisedClickToDoor'],
  [['s', '--day', 'd', '--out', 'o', '--ready', 'no'], '--ready is no: one of known, mean, network'],
  [['s', '--day', 'd', '--out', 'o', '--random', '0'], '--random is 0'],
  [['s', '--day', 'd', '--out', 'o', '--jobs', '257'], '--jobs is 257'],
  [['s', '--day', 'd', '--out', 'o', '--seeds', '1'], 'did you mean --seed?'],
])('%j is refused', (argv, reason) => {
  expect(() => parseSweep(argv)).toThrow(reason);
});

test('one day has no split, several have one of one day at a time', () => {
  expect(parseSweep(['s', '--day', 'd', '--out', 'o'])).toMatchObject({ leaveOut: 0, random: null });
  expect(parseSweep(['s', '--day', 'd', '--day', 'e', '--out', 'o']).leaveOut).toBe(1);
});
