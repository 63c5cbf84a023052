import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderId, Seconds } from '#schemas/brands';
import type { Observation } from '#schemas/domain';
import { allKinds, recorded, smallRound, writeRecording } from '../../../test/support/small-recording';
import { ObservationsWriter, readObservations } from '../recording/recorded-observations';
import type { RecordedRound } from '../recording/recorded-round';
import { ErrorSums } from './error-figures';
import { etrCommand } from './etr-command';
import { EtrGroups } from './etr-groups';
import { shownGroups } from './etr-text';
import { EtrEvaluation } from './evaluate';
import { parseEtr } from './options';
import { recordedReady } from './predictors';

const base = recorded(smallRound(1));
const { round } = base.manifest;
const [first] = round.orders;

/** The round with its first order ready at `readyAt`, or not known to be; `later` rounds come at another time. */
function withReady(readyAt: number, isKnown: boolean, secondsOfDay = 3 * 3_600): RecordedRound {
  const features = { ...first!.features, merchantMeanPrepMinutes: 10 };
  const known = { ...first!.known, ready: isKnown };
  const orders = round.orders.map((order) =>
    order === first ? { ...order, readyAt: readyAt as Seconds, known, features } : order,
  );
  const context = { ...round.policy.context, secondsOfDay: secondsOfDay as Seconds };
  const policy = { ...round.policy, context };
  return { ...base, manifest: { ...base.manifest, round: { ...round, orders, policy } }, outcomes: [] };
}

const observed = (kind: Observation['kind'], at: number, orderId: string = first!.orderId) => {
  const { tenantId, runId, zoneId } = round;
  const observation = {
    tenantId,
    runId,
    zoneId,
    orderId: orderId as OrderId,
    courierId: null,
    kind,
    at: at as Seconds,
  };
  return { appendedAt: 1 as never, observation };
};

const predictedAt = (p50: number | null, p90: number | null) => () =>
  Promise.resolve(new Map([[first!.orderId as string, { p50, p90 }]]));

const of = (evaluation: EtrEvaluation, quantity: string, by = 'all') =>
  evaluation.groups.groups().find((group) => group.quantity === quantity && group.by === by);

describe('errors', () => {
  test('of both quantiles', () => {
    const sums = new ErrorSums();
    // Errors of p50: −10, 10, 30; of p90: −40, −20, 0.
    for (const actual of [90, 110, 130]) sums.add({ p50: 100, p90: 130 }, actual);
    const figures = sums.figures();
    expect(figures).toMatchObject({ count: 3, bias: 10, within50: 1 / 3, within90: 1 });
    expect(figures.mae).toBeCloseTo(50 / 3);
    // Absolute errors 10, 10, 30: rank 1.8 is 10 + 0.8 · 20.
    expect(figures.p90Error).toBeCloseTo(26);
    // Half of the absolute error; a tenth of what p90 was above.
    expect(figures.pinball50).toBeCloseTo(25 / 3);
    expect(figures.pinball90).toBeCloseTo((4 + 2 + 0) / 3);
  });

  test('of a quantile that was never predicted there are none', () => {
    const sums = new ErrorSums();
    sums.add({ p50: null, p90: 100 }, 90);
    expect(sums.figures()).toMatchObject({
      count: 1,
      mae: null,
      p90Error: null,
      within50: null,
      within90: 1,
    });
  });
});

describe('an evaluation', () => {
  test('preparation: the first prediction against the time that a later round knows', async () => {
    const evaluation = new EtrEvaluation([], predictedAt(500, 900));
    await evaluation.add(withReady(0, false));
    const other = new EtrEvaluation([], predictedAt(1, 1));
    expect(of(other, 'preparation')).toBeUndefined();
    await evaluation.add(withReady(0, false, 23 * 3_600));
    await evaluation.add(withReady(first!.placedAt + 600, true));
    await evaluation.add(withReady(first!.placedAt + 600, true));
    evaluation.end();
    // 600 s of preparation, 500 s predicted; the merchant's mean of 10 minutes is exact.
    expect(of(evaluation, 'preparation')!.figures).toMatchObject({
      count: 1,
      mae: 100,
      bias: 100,
      within50: 0,
      within90: 1,
    });
    expect(of(evaluation, 'merchantMean')!.figures).toMatchObject({ mae: 0, within90: null });
    expect(of(evaluation, 'preparation', 'hour')!.name).toBe('3');
    expect(of(evaluation, 'preparation', 'merchant')!.name).toBe(first!.pickup.placeId);
    expect(evaluation.counts).toMatchObject({ predicted: 1, neverReady: 0, withoutPrediction: 0 });
  });

  test('an order that never gets ready, or has no prediction', async () => {
    const evaluation = new EtrEvaluation([], recordedReady);
    await evaluation.add(withReady(0, false));
    evaluation.end();
    expect(evaluation.counts).toMatchObject({ predicted: 1, neverReady: 1, withoutPrediction: 1 });
    const blind = new EtrEvaluation([], recordedReady);
    await blind.add(withReady(0, false));
    await blind.add(withReady(700, true));
    expect(blind.groups.groups().filter(({ quantity }) => quantity === 'preparation')).toEqual([]);
  });

  test('pickup and door: the plan against what was observed', async () => {
    const plan = base.decision!.decision.content.assignments.find(({ orderIds }) =>
      orderIds.includes(first!.orderId),
    )!;
    const [pickup, door] = plan.stops.map(({ servedAt }) => servedAt as number);
    const observations = [
      observed('picked_up', pickup! + 60),
      observed('picked_up', pickup! + 600), // told twice: the first counts
      observed('dropped_off', door! - 30),
      observed('cancelled', 5, round.orders[1]!.orderId),
    ];
    const evaluation = new EtrEvaluation(observations, recordedReady);
    await evaluation.add(base);
    await evaluation.add(base);
    expect(of(evaluation, 'pickup')!.figures).toMatchObject({ count: 1, bias: 60 });
    expect(of(evaluation, 'door')!.figures).toMatchObject({ count: 1, bias: -30 });
    expect(evaluation.counts).toMatchObject({ observations: 4, assigned: 3, unobserved: 2 });
  });

  test('of merchants the worst are shown, of small groups none', () => {
    const groups = new EtrGroups();
    const add = (merchant: string, actual: number) =>
      groups.add('door', { merchant, hour: 1, predicted: { p50: 0, p90: null }, actual });
    for (const actual of [5, 5]) add('good', actual);
    for (const actual of [50, 50]) add('bad', actual);
    add('rare', 500);
    const shown = (least: number, top: number) =>
      shownGroups(groups.groups(), { least, top }).map(({ by, name }) => `${by} ${name}`);
    expect(shown(2, 1)).toEqual(['all ', 'hour 1', 'merchant bad']);
    expect(shown(1, 9)).toEqual(['all ', 'hour 1', 'merchant rare', 'merchant bad', 'merchant good']);
  });
});

test('recorded predictions are those of the plans, from placement on', async () => {
  const predictions = await recordedReady(base, round.orders);
  // All times of these rounds are known: what plans used is what the order says.
  for (const order of round.orders)
    expect(predictions.get(order.orderId)).toEqual({ p50: order.readyAt - order.placedAt, p90: null });
  const p90 = { ...round, policy: { ...round.policy, quantile: 'p90' as const } };
  const asked = await recordedReady({ ...base, manifest: { ...base.manifest, round: p90 } }, [first!]);
  expect([...asked]).toEqual([[first!.orderId, { p50: null, p90: first!.readyAt - first!.placedAt }]]);
});

describe('the command', () => {
  let folder: string;
  let lines: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'etr-'));
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const tell = (line: string) => void lines.push(line);
  const place = { env: {}, signal: new AbortController().signal, tell, tellError: tell };
  const at = (name: string) => join(folder, name);
  const etr = (...argv: string[]) => etrCommand(parseEtr([at('rec'), ...argv]), place);

  function write(
    rounds: readonly RecordedRound[],
    observations: readonly ReturnType<typeof observed>[],
  ): void {
    writeRecording(at('rec'), rounds);
    const writer = new ObservationsWriter(at('rec'));
    observations.forEach((one) => writer.add(one));
    writer.end();
  }

  test('tables, CSV and JSON', async () => {
    write([base], [observed('picked_up', 1_000), observed('dropped_off', 2_000)]);
    expect(await etr('--csv', at('etr.csv'), '--least', '1')).toBe(0);
    expect(lines[0]).toContain('2 observations; 3 orders finally assigned, nothing observed of 2');
    expect(lines[0]).toMatch(/door +hour/);
    expect(readFileSync(at('etr.csv'), 'utf8').split('\n')[0]).toMatch(/^quantity,by,name,orders,MAE s/);
    expect(await etr('--json')).toBe(0);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ counts: { observations: 2 }, groups: { length: 6 } });
  });

  test('nothing to compare, no recording, a table in the way', async () => {
    await expect(etr()).rejects.toThrow('is no recording');
    writeRecording(at('rec'), allKinds());
    expect(await etr()).toBe(1);
    expect(lines.at(-1)).toContain('nothing to compare: the rounds know all ready times from the first');
    expect(lines.at(-1)).not.toContain('sweep');
    const file = join(at('rec'), 'recording.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...manifest, origin: { kind: 'mdrp', files: [] } }));
    expect(await etr()).toBe(1);
    expect(lines.at(-1)).toContain('`sweep --ready mean`');
    await expect(etr('--csv', folder)).rejects.toThrow(`--csv ${folder} can't be written (EISDIR)`);
  });

  test('observations are there whole or not at all', () => {
    writeRecording(at('rec'), [base]);
    expect([...readObservations(at('rec'))]).toEqual([]);
    const left = new ObservationsWriter(at('rec'));
    left.add(observed('picked_up', 1));
    expect([...readObservations(at('rec'))]).toEqual([]);
    left.discard();
    const writer = new ObservationsWriter(at('rec'));
    writer.add(observed('picked_up', 1));
    writer.end();
    expect([...readObservations(at('rec'))]).toEqual([observed('picked_up', 1)]);
  });

  test('a corrupt block of observations, unless it is to be skipped', async () => {
    write([base], [observed('picked_up', 1_000)]);
    const file = join(at('rec'), 'observations.avro');
    const bytes = readFileSync(file);
    bytes.fill(0, bytes.length - 40, bytes.length - 20);
    rmSync(file);
    writeFileSync(file, bytes);
    await expect(etr()).rejects.toThrow('observations.avro');
    expect(await etr('--skip-corrupt')).toBe(1);
    expect(lines.some((line) => line.includes('observations.avro'))).toBe(true);
  });

  test('a network that nobody names', async () => {
    writeRecording(at('rec'), [base]);
    await expect(etr('--predictions', 'network')).rejects.toThrow('no delivery_time among the models');
  });

  test.each([
    [['--predictions', 'both'], '--predictions is both: one of recorded, network'],
    [['--least', '0'], '--least is 0'],
    [['--top', '-1'], '--top is -1'],
    [['--quantile', 'p50'], 'unknown flag --quantile'],
  ])('%j is refused', (argv, reason) => {
    expect(() => parseEtr(['rec', ...argv])).toThrow(reason);
  });

  test('no recording is named', () => expect(() => parseEtr([])).toThrow('RECORDING is needed'));
});
