import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderId, Seconds, UnixMs } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import { allKinds, recorded, smallRound, writeRecording } from '../../../test/support/small-recording';
import { ofRecording } from '../diff/side';
import { ObservationsWriter, type RecordedObservation } from '../recording/recorded-observations';
import { RunWriter } from '../run/run-writer';
import { axesOf, mapOption } from './charts/map-chart';
import { binsOf } from './charts/histogram-charts';
import { CourierTimelines } from './courier-timelines';
import { parseReport } from './options';
import { escaped } from './page';
import { librarySource } from './plot-files';
import { reportCommand } from './report-command';
import { roundMap } from './round-map';
import { Thinned } from './thinned';

let folder: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const tell = (line: string) => void lines.push(line);
const place = { env: {}, signal: new AbortController().signal, tell, tellError: tell };
const report = (...argv: string[]) => reportCommand(parseReport([...argv, '--out', at('page.html')]), place);
/** Without the library, whose source is longer than any failure should be. */
const page = () => readFileSync(at('page.html'), 'utf8').replace(librarySource(), '');

/** A run of these rounds with the decisions that they had. */
function writeRun(name: string, numbers: readonly number[], sha256: string | null): void {
  const writer = new RunWriter(at(name));
  for (const number of numbers) {
    const { manifest, decision } = recorded(smallRound(number));
    const { tenantId, runId, roundId } = manifest.round;
    const ids = { tenantId, sourceRunId: runId, roundId, recordedHash: null };
    const rest = { cutDiffers: false, appendedAt: null, solveMs: 7, leftOutCost: 0n, error: null };
    writer.add({ ...ids, ...rest, decision: decision!.decision });
  }
  const settings = { runId: 'x', models: 'recorded', arrivals: 'all', policy: null, cut: null } as never;
  const facts = { way: 'direct', pace: 'max', costs: 'recorded', models: [], deviceKind: 'cpu' } as const;
  writer.end({ ...facts, settings, recording: { sha256 } }, 0);
}

const pickedUp = (
  { tenantId, runId, zoneId, asOf }: DispatchRound,
  orderId: OrderId,
): RecordedObservation => ({
  appendedAt: 1 as UnixMs,
  observation: {
    ...{ tenantId, runId, zoneId, orderId, courierId: null, kind: 'picked_up' },
    at: (asOf + 600) as Seconds,
  },
});

/** The fonts of the machine are read for the first picture, which may take seconds where it is busy. */
jest.setTimeout(60_000);

describe('a page', () => {
  test('of a recording: plots, figures, nothing from the network', async () => {
    writeRecording(at('a'), allKinds());
    expect(await report(at('a'), '--svg', at('svg'), '--png', at('png'))).toBe(0);
    const html = page();
    // Nothing may be fetched: the policy says so, and no element has a source.
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/<(script|img|link|iframe)[^>]* (src|href)=/);
    // On paper no chart comes into sight.
    expect(html).toContain("addEventListener('beforeprint'");
    expect(html).toContain('<td>rounds decided</td><td>5</td>');
    expect(html).toContain('stale 3');
    // Appended 500 ms before the deadline, the round 1,000 ms before it.
    expect(html).toContain('<td>latency p50 / p90 / p99, ms</td><td>500 / 500 / 500</td>');
    expect(html.match(/<option>/g)).toHaveLength(5);
    expect(html).not.toContain('What is decided otherwise');
    const plots = readdirSync(at('svg'));
    expect(plots).toEqual(
      expect.arrayContaining(['map.svg', 'timelines-a.svg', 'latency.svg', 'lateness.svg']),
    );
    for (const plot of plots)
      expect(readFileSync(join(at('svg'), plot), 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
    const pictures = readdirSync(at('png'));
    expect(pictures).toEqual(plots.map((plot) => plot.replace(/svg$/, 'png')));
    // The eight bytes that every PNG begins with.
    const begin = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    for (const picture of pictures)
      expect(readFileSync(join(at('png'), picture)).subarray(0, 8)).toEqual(begin);
  });

  test('predicted times stand beside what happened, where anything did', async () => {
    const rounds = Array.from({ length: 20 }, (_, index) => recorded(smallRound(index + 1)));
    writeRecording(at('a'), rounds);
    expect(await report(at('a'))).toBe(0);
    expect(page()).not.toContain('Predicted times');
    const writer = new ObservationsWriter(at('a'));
    for (const { manifest, decision } of rounds)
      for (const { orderIds } of decision!.decision.content.assignments)
        for (const orderId of orderIds) writer.add(pickedUp(manifest.round, orderId));
    writer.end();
    expect(await report(at('a'))).toBe(0);
    expect(page()).toContain('<h2>Predicted times</h2>');
    expect(page()).toMatch(/<td>pickup<\/td><td>all<\/td><td><\/td><td>\d+<\/td>/);
  });

  test('of two: the diff, the worst round first', async () => {
    writeRecording(
      at('a'),
      [1, 2, 3].map((number) => recorded(smallRound(number))),
    );
    const worse = recorded(smallRound(2), (outcomes) => outcomes.delete(0));
    writeRecording(at('b'), [recorded(smallRound(1)), worse, recorded(smallRound(3))]);
    expect(await report(at('a'), at('b'), '--maps', '2')).toBe(0);
    const html = page();
    expect(html).toContain('3 rounds decided by both, 1 of them otherwise');
    // Tables: the sides beside one another, a row an order's fate, a row a round.
    expect(html).toMatch(/<tr><th><\/th><th>A<\/th><th>B<\/th><th>B against A<\/th><\/tr><tr><td>cost<\/td>/);
    expect(html).toMatch(/<td>moved to another courier<\/td><td>\d+<\/td>/);
    expect(html).toMatch(/<th>what changed<\/th><\/tr><tr><td>round-2<\/td>/);
    expect(html).not.toContain('<pre>');
    expect(html).toMatch(/<select[^>]*><option>round-2 of /);
    expect(html).toContain('Couriers of B');
  });

  test('of a run alone has what a run knows, with its recording the rest', async () => {
    writeRecording(at('rec'), [recorded(smallRound(1))]);
    writeRun('run', [1], null);
    expect(await report(at('run'))).toBe(0);
    expect(lines.at(-1)).toContain('name its recording with --recording');
    expect(page()).not.toContain('id="map"');
    expect(page()).toContain('<td>7 / 7 / 7</td>');
    expect(await report(at('run'), '--recording', at('rec'))).toBe(0);
    expect(page()).toContain('id="map"');
  });

  test('names of others stay text', async () => {
    const evil = '</script><script>alert(1)</script>';
    const round = smallRound(1);
    const orders = round.orders.map((order, i) => (i === 0 ? { ...order, orderId: evil as OrderId } : order));
    writeRecording(at('a'), [recorded({ ...round, zoneId: evil as never, orders })]);
    expect(await report(at('a'), '--maps', '1')).toBe(0);
    expect(page()).not.toContain('<script>alert');
    expect(escaped(`<a b="c">'&`)).toBe('&lt;a b=&quot;c&quot;&gt;&#39;&amp;');
  });
});

test('plans and couriers sent ahead have colours of their own, of each side', () => {
  const way = { name: 'k', way: [[0, 0] as const, [1, 1] as const] };
  const side = { plans: [way], moves: [way], leftOut: [] };
  const map = { name: 'r', isGeographic: true, couriers: [], pickups: [], dropoffs: [], sides: [side, side] };
  interface Series {
    readonly name: string;
    readonly itemStyle?: { readonly color: string };
    readonly lineStyle?: { readonly color: string };
  }
  const { series } = mapOption(map) as { series: Series[] };
  const colours = series.map(({ itemStyle, lineStyle }) => (lineStyle ?? itemStyle)!.color);
  // Four kinds of ways, orders left out of A and B in the colours of their plans, couriers, pickups, drop-offs.
  expect(new Set(colours).size).toBe(7);
  const colourOf = (name: string) => colours[series.findIndex((one) => one.name === name)];
  for (const name of 'AB') expect(colourOf(`${name}: plans`)).not.toBe(colourOf(`${name}: sent ahead`));
});

describe('what is refused', () => {
  test('a run of another recording', async () => {
    writeRecording(at('rec'), [recorded(smallRound(1))]);
    writeRun('run', [1], '0'.repeat(64));
    await expect(report(at('run'), '--recording', at('rec'))).rejects.toThrow('it is of another recording');
  });

  test('folders and files that are not there, or in the way', async () => {
    await expect(report(at('a'))).rejects.toThrow('is neither a recording nor a run');
    writeRecording(at('a'), [recorded(smallRound(1))]);
    await expect(report(at('a'), '--recording', at('b'))).rejects.toThrow('is no recording');
    const into = (...argv: string[]) => reportCommand(parseReport([at('a'), ...argv]), place);
    await expect(into('--out', folder)).rejects.toThrow(`--out ${folder} can't be written (EISDIR)`);
    writeFileSync(at('file'), '');
    await expect(report(at('a'), '--svg', at('file'))).rejects.toThrow(
      `--svg ${at('file')} can't be written`,
    );
  });

  test('a corrupt block, unless it is to be skipped', async () => {
    writeRecording(at('a'), [recorded(smallRound(1))]);
    const bytes = readFileSync(join(at('a'), 'rounds.avro'));
    bytes.fill(0, bytes.length - 60, bytes.length - 20);
    writeFileSync(join(at('a'), 'rounds.avro'), bytes);
    await expect(report(at('a'))).rejects.toThrow('rounds.avro');
    expect(existsSync(at('page.html'))).toBe(false);
    expect(await report(at('a'), '--skip-corrupt')).toBe(0);
    // The file is read as a side and for its places: its block is told of once.
    expect(lines.filter((line) => line.includes('rounds.avro'))).toHaveLength(1);
  });

  test.each([
    [[] as string[], 'A is needed before the flags'],
    [['a', 'b', 'c'], 'c is one word too many'],
    [['a', '--maps', '201'], '--maps is 201: a whole number from 0 to 200'],
    [['a', '--couriers', '0'], '--couriers is 0'],
    [['a', '--hours', 'x'], '--hours is x'],
    [['a', '--map', '1'], 'did you mean --maps?'],
  ])('%j', (argv, reason) => {
    expect(() => parseReport([...argv, '--out', 'page'])).toThrow(reason);
  });

  test('no place for the page', () => expect(() => parseReport(['a'])).toThrow('--out is needed'));
});

describe('parts', () => {
  test('a plan holds until the courier is free for the next one', () => {
    const timelines = new CourierTimelines(3_600);
    const { manifest, decision } = recorded(smallRound(1));
    const { round } = manifest;
    const content = decision!.decision.content;
    timelines.add(round, content);
    const before = timelines.busiest(9);
    expect(before).toHaveLength(3);
    const spans = before[0]!.spans;
    expect(spans.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['pickup', 'dropoff']));
    // The same plans again, for couriers that are free when all is done: everything twice.
    const later = Math.max(...before.flatMap((one) => one.spans.map(({ to }) => to)));
    const couriers = round.couriers.map((courier) => ({ ...courier, availableAt: later as never }));
    timelines.add({ ...round, couriers }, { ...content, assignments: [] });
    expect(timelines.busiest(9)).toEqual(before);
    timelines.add(round, content);
    expect(timelines.busiest(9)).toEqual(before);
    expect(timelines.busiest(1)).toHaveLength(1);
  });

  test('tentative plans are not carried out, nor what begins behind the window', () => {
    const { manifest, decision } = recorded(smallRound(1));
    const content = decision!.decision.content;
    const assignments = content.assignments.map((one) => ({ ...one, stage: 'tentative' as const }));
    const tentative = new CourierTimelines(3_600);
    tentative.add(manifest.round, { ...content, assignments });
    expect(tentative.busiest(9)).toEqual([]);
    const short = new CourierTimelines(0);
    short.add(manifest.round, content);
    expect(short.busiest(9)).toEqual([]);
  });

  test('a map has ways from couriers to their stops, and what was left out', () => {
    const joined = recorded(smallRound(1), (outcomes) => outcomes.clear());
    const side = ofRecording(joined);
    const { round } = joined.manifest;
    const map = roundMap({ a: side, b: null, known: { round, appendedAt: joined.appendedAt } })!;
    expect(map.sides[0]!.leftOut).toHaveLength(3);
    expect(map.sides[1]).toBeNull();
    const whole = recorded(smallRound(1));
    const { plans } = roundMap({
      a: ofRecording(whole),
      b: null,
      known: { round, appendedAt: joined.appendedAt },
    })!.sides[0]!;
    expect(plans.map(({ way }) => way.length)).toEqual([3, 3, 3]);
  });

  test('a degree of longitude is half as long at 60 degrees', () => {
    const { xAxis, yAxis } = axesOf(
      [
        [10, 60],
        [11, 60.1],
      ],
      true,
    ) as never as Record<'xAxis' | 'yAxis', { min: number; max: number }>;
    // 870 by 540 points: x has 870/540 of y's length, twice as many degrees.
    const ratio = (xAxis.max - xAxis.min) / (yAxis.max - yAxis.min);
    expect(ratio).toBeCloseTo(
      ((2 * 870) / 540) * (Math.cos(Math.PI / 3) / Math.cos((60.05 * Math.PI) / 180)),
      2,
    );
  });

  test('bins are round numbers, and whole for counts', () => {
    expect(binsOf([0, 10, 60], false)).toEqual({ from: 0, width: 2, count: 30 });
    expect(binsOf([1, 1, 2], true)).toEqual({ from: 1, width: 1, count: 1 });
    expect(binsOf([3, 3], false).count).toBeGreaterThan(0);
  });

  test('of many values some are kept, all counted', () => {
    const thinned = new Thinned<number>(4);
    for (let i = 0; i < 9; i += 1) thinned.add(i);
    // 0…3 are thinned to 0, 2; then each second: 4, 6 make four, thinned to 0, 4; then each fourth: 8.
    expect(thinned.values).toEqual([0, 4, 8]);
    expect(thinned.count).toBe(9);
  });
});
