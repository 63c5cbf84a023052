import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busyShares } from './busy-shares';
import { chromeTrace } from './chrome-trace';
import { readTrace } from './read-trace';
import { tickStep, timelineSvg } from './timeline-svg';
import { TraceWriter } from './trace-writer';
import { readTraceLine, traceLine, type TracedPhase } from './traced-phase';
import { tracksOf } from './tracks';

const base = 1_790_000_000_000_000_001n;
/** Microseconds after `base`. */
const phase = (
  name: TracedPhase['phase'],
  [from, to]: [number, number],
  more: Partial<TracedPhase> = {},
): TracedPhase => ({
  shard: 0,
  round: 'r1',
  model: 'candidate_cost',
  device: 'gpu:0',
  phase: name,
  startNs: base + BigInt(from) * 1_000n,
  endNs: base + BigInt(to) * 1_000n,
  ...more,
});

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'roundhouse-trace-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('lines', () => {
  test('come back with every nanosecond', () => {
    const traced = phase('etr', [3, 5]);
    expect(readTraceLine(traceLine(traced))).toEqual(traced);
  });

  test.each([
    ['{"shard":1}', 'without round, model, device, phase, startNs, endNs'],
    [traceLine(phase('etr', [0, 1])).replace('etr', 'lunch'), 'unknown phase lunch'],
    [traceLine(phase('etr', [0, 1])).replace('"shard":0', '"shard":0.5'), 'shard is no whole number'],
    [traceLine({ ...phase('etr', [0, 1]), endNs: 1n }), 'times that are none'],
  ])('%s', (line, fault) => {
    expect(() => readTraceLine(line)).toThrow(fault);
  });
});

describe('a file', () => {
  test('that can not be appended to is told of with its setting, a pipe that nobody reads is not waited for', () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [file, code] of [
      [join(folder, 'absent', 'x.jsonl'), 'ENOENT'],
      [folder, 'EISDIR'],
      [pipe, 'ENXIO'],
    ] as const) {
      const message = `ROUNDHOUSE_TRACE_FILE="${file}": a file that can be appended to, or made (${code})`;
      expect(() => new TraceWriter(file)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message }),
      );
    }
  });

  test('that can not be read is named', async () => {
    await expect(readTrace(folder)).rejects.toThrow(`${folder}: EISDIR`);
    const file = join(folder, 'nonsense.jsonl');
    writeFileSync(file, 'nonsense\n{}\n');
    await expect(readTrace(file)).rejects.toThrow(`${file}: line 1: `);
  });

  test('of a writer, which leaves out what did not happen', async () => {
    const file = join(folder, 'written.jsonl');
    const writer = new TraceWriter(file);
    writer.write([
      phase('or', [5, 9]),
      phase('copyIn', [0, 2]),
      { ...phase('etr', [0, 0]), startNs: 0n, endNs: 0n },
    ]);
    await writer.close();
    const { phases, dropped } = await readTrace(file);
    expect(phases.map(({ phase: name }) => name)).toEqual(['copyIn', 'or']);
    expect(dropped).toBe(0);
  });

  test('a last line that was cut is left out, and lost lines are counted; another bad line is named', async () => {
    const file = join(folder, 'cut.jsonl');
    const whole = traceLine(phase('or', [0, 1]));
    const lost = '{"level":"warn","event":"LogLinesDropped","lines":7}\n';
    writeFileSync(file, whole + lost + whole.slice(0, 30));
    expect(await readTrace(file)).toMatchObject({ phases: [{ phase: 'or' }], dropped: 7 });
    writeFileSync(file, `${whole}{"shard":\n${whole}`);
    await expect(readTrace(file)).rejects.toThrow('line 2: ');
  });
});

// Shards 0 and 1 are one batch; shard 2 is in ETR from 4, while they are until 6; shard 3 from 6.
const batch = [
  phase('copyIn', [0, 2]),
  phase('copyIn', [0, 2], { shard: 1 }),
  phase('etr', [2, 6]),
  phase('etr', [2, 6], { shard: 1 }),
  phase('etr', [4, 8], { shard: 2 }),
  phase('etr', [6, 7], { shard: 3, model: 'heavy' }),
  phase('decode', [0, 1], { device: 'cpu' }),
].sort((a, b) => Number(a.startNs - b.startNs));

test('tracks: by device and phase; a batch is one span; what overlaps has a lane of its own', () => {
  const tracks = tracksOf(batch).map(({ device, phase: name, lane, spans }) => [
    `${device} ${name} ${lane}`,
    spans.map(({ phases }) => phases.map(({ shard }) => shard)),
  ]);
  expect(tracks).toEqual([
    ['cpu decode 0', [[0]]],
    ['gpu:0 copyIn 0', [[0, 1]]],
    ['gpu:0 etr 0', [[0, 1], [3]]],
    ['gpu:0 etr 1', [[2]]],
  ]);
});

test('busy: what overlaps counts once', () => {
  // Of 10 µs: copy in 2, ETR from 2 to 8, decode 1.
  expect(busyShares(tracksOf(batch), base, base + 10_000n)).toEqual({
    'cpu decode': 0.1,
    'gpu:0 copyIn': 0.2,
    'gpu:0 etr': 0.6,
  });
  // From 5 to 10: ETR until 8.
  expect(busyShares(tracksOf(batch), base + 5_000n, base + 10_000n)['gpu:0 etr']).toBe(0.6);
});

test('Chrome trace: processes are devices, threads lanes, times microseconds from the begin', () => {
  const { traceEvents } = chromeTrace(tracksOf(batch), base);
  const names = traceEvents.filter(({ ph }) => ph === 'M').map(({ args }) => args.name);
  expect(names).toEqual(['cpu', 'gpu:0', 'decode', 'copyIn', 'etr', 'etr 2']);
  expect(traceEvents).toContainEqual({
    name: 'r1/0 + 1',
    ph: 'X',
    pid: 1,
    tid: 2,
    ts: 2,
    dur: 4,
    args: { model: 'candidate_cost', shards: ['r1/0', 'r1/1'] },
  });
});

describe('timeline', () => {
  test.each([
    // At most ten steps: 0.1 of the length, up to 1, 2, 5 or 10 times a power of ten.
    [10, 1],
    [11, 2],
    [0.03, 0.005],
    [700, 100],
  ])('%d ms has a tick each %d ms', (length, step) => {
    expect(tickStep(length)).toBeCloseTo(step, 9);
  });

  test('a bar a span, within its edges; names are escaped', () => {
    const tracks = tracksOf(
      batch.map((one) => ({ ...one, model: one.model === 'heavy' ? '<heavy>' : one.model })),
    );
    const options = { width: 1_142, title: 'a & b', startNs: base + 1_000n, endNs: base + 11_000n };
    const svg = timelineSvg(tracks, options);
    // 1,000 px for 10 µs, from x = 130: ETR of the batch from 1 to 5 µs after the left edge.
    expect(svg).toContain('<rect x="230.00" y="72" width="400.00"');
    // The copy in from −1 to 1 µs is cut.
    expect(svg).toContain('<rect x="130.00" y="54" width="100.00"');
    expect(svg).toContain('a &#38; b');
    expect(svg).not.toContain('<heavy>');
    expect(svg.match(/gpu:0 etr/g)).toHaveLength(1);
  });
});
