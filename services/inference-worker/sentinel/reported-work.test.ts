import { CostEstimates } from './cost-estimates';
import { ReportedWork, type ModelWork } from './reported-work';

const floorMs = 100;

const idle: ModelWork = {
  model: 'm',
  version: '1',
  line: 1,
  waiting: 0,
  running: 0,
  oldest: 0,
  worked_off: 0,
  answered: 0,
  kib: 0,
  ms_per_kib: 0,
  left_ms: Infinity,
};
/** Answered once, at 10 ms a KiB, and busy with its second request of 2 KiB. */
const busy: ModelWork = {
  ...idle,
  running: 1,
  oldest: 2,
  worked_off: 1,
  answered: 1,
  kib: 2,
  ms_per_kib: 10,
  left_ms: 60_000,
};

/** An engine that has nothing else to do, and uses so much of a processor. */
function watchAlone(costs = new CostEstimates(), share = 0) {
  let now = 0;
  const work = new ReportedWork(costs, floorMs, () => share * now);
  const take = (nowMs: number, ...models: ModelWork[]) => {
    now = nowMs;
    return work.take(models, nowMs);
  };
  return { work, costs, take };
}

/** Another model ends requests all the time: what the engine uses of processors says nothing of the first. */
function watch(costs?: CostEstimates) {
  const watched = watchAlone(costs, 1);
  let ended = 0;
  const lively = (): ModelWork => ({ ...idle, model: 'lively', line: 99, worked_off: ++ended });
  const take = (nowMs: number, ...models: ModelWork[]) => watched.take(nowMs, ...models, lively());
  return { ...watched, take };
}

test('an idle engine is never silent, however long', () => {
  const { take } = watch();
  for (let ms = 0; ms < 1_000_000; ms += 250) expect(take(ms, idle)).toBeNull();
});

test('a model that makes no progress is silent after the floor and four times what its work should cost', () => {
  const { take } = watch();
  // 100 + 4 · 2 KiB · 10 ms = 180 ms from the first report of this state.
  expect(take(1_000, busy)).toBeNull();
  expect(take(1_180, { ...busy, left_ms: 59_000 })).toBeNull();
  expect(take(1_181, busy)).toEqual({ model: 'm', silentMs: 181, budgetMs: 180, requests: 1 });
});

test('progress of any kind, and another oldest request, begin anew; what waits changes nothing', () => {
  const { take } = watch();
  take(0, busy);
  expect(take(170, { ...busy, waiting: 50, running: 3 })).toBeNull();
  expect(take(180, { ...busy, worked_off: 2 })).toBeNull();
  expect(take(360, { ...busy, worked_off: 2, oldest: 3 })).toBeNull();
  expect(take(540, { ...busy, worked_off: 2, oldest: 3 })).toBeNull();
  expect(take(541, { ...busy, worked_off: 2, oldest: 3, waiting: 50 })).toMatchObject({ silentMs: 181 });
});

test('a model that has never answered has until its latest deadline, and without one five minutes', () => {
  const unknown = { ...busy, worked_off: 0, answered: 0, ms_per_kib: 0 };
  const { take } = watch();
  take(0, { ...unknown, left_ms: 1_000 });
  // 100 + 1,000 ms
  expect(take(1_100, { ...unknown, left_ms: -100 })).toBeNull();
  expect(take(1_101, { ...unknown, left_ms: -101 })).toMatchObject({ budgetMs: 1_100 });
  const forever = watch();
  forever.take(0, { ...unknown, left_ms: Infinity });
  expect(forever.take(300_100, { ...unknown, left_ms: Infinity })).toBeNull();
  expect(forever.take(300_101, { ...unknown, left_ms: Infinity })).toMatchObject({ budgetMs: 300_100 });
});

test('what the other models have counts too; their own silence does not hide it', () => {
  const { take } = watch();
  const other = { ...busy, model: 'n', line: 2, kib: 5, ms_per_kib: 20 };
  take(0, busy, other);
  // 100 + 4 · (2 · 10 + 5 · 20) = 580 ms for either.
  expect(take(580, busy, other)).toBeNull();
  expect(take(581, busy, { ...other, worked_off: 9 })).toMatchObject({ model: 'm', budgetMs: 580 });
});

test('versions, and what a load replaced, are judged each by itself', () => {
  const { take } = watch();
  const old = { ...busy, line: 7 };
  take(0, old, idle);
  expect(take(300, old, { ...idle, line: 2, worked_off: 5 })).toMatchObject({ model: 'm', silentMs: 300 });
});

test('who was silent has four times as long in the next engine, beyond its first answers', () => {
  const first = watch();
  first.take(0, busy);
  expect(first.take(400, busy)).toMatchObject({ silentMs: 400 });
  // 400 ms for 2 KiB: 200 ms a KiB, so 100 + 4 · 400 ms.
  const next = watch(first.costs);
  next.take(0, { ...busy, answered: 0, worked_off: 0 });
  expect(next.take(1_700, { ...busy, answered: 0, worked_off: 0 })).toBeNull();
  // One good answer of 10 ms a KiB: 10 + 190 · 0.98 = 196.2 ms, so 100 + 4 · 2 · 196.2 = 1,669.6 ms.
  next.take(1_700, busy);
  expect(next.take(1_700 + 1_669, busy)).toBeNull();
  expect(next.take(1_700 + 1_670, busy)).toMatchObject({ silentMs: 1_670 });
});

test('one that is alone is looked at twice: an engine that uses no processor is silent', () => {
  for (const share of [0, 0.09]) {
    const { take } = watchAlone(new CostEstimates(), share);
    take(0, busy);
    expect(take(181, busy)).toBeNull();
    // Too soon to tell, then 400 ms after the first look.
    expect(take(580, busy)).toBeNull();
    expect(take(581, busy)).toMatchObject({ silentMs: 581, budgetMs: 180 });
  }
});

test('one that is alone and for which the engine uses a processor has until its deadline, however little was expected', () => {
  const { take } = watchAlone(new CostEstimates(), 0.1);
  const at = (ms: number): ModelWork => ({ ...busy, left_ms: 60_000 - ms });
  for (let ms = 0; ms <= 60_000; ms += 250) expect(take(ms, at(ms))).toBeNull();
  // 100 + 60,000 ms
  expect(take(60_100, at(60_100))).toBeNull();
  expect(take(60_101, at(60_101))).toMatchObject({ silentMs: 60_101, budgetMs: 180 });
});

test('what ended processes had used is not missed: the look after that tells', () => {
  let used = 5_000;
  const work = new ReportedWork(new CostEstimates(), floorMs, () => used);
  work.take([busy], 0);
  expect(work.take([busy], 200)).toBeNull();
  used = 10;
  expect(work.take([busy], 600)).toBeNull();
  expect(work.take([busy], 1_000)).toMatchObject({ silentMs: 1_000 });
});

test('one that stops using a processor is silent, and so is one that another joins', () => {
  let used = 0;
  const work = new ReportedWork(new CostEstimates(), floorMs, () => used);
  work.take([busy], 0);
  work.take([busy], 200);
  used = 400;
  expect(work.take([busy], 600)).toBeNull();
  expect(work.take([busy], 1_000)).toMatchObject({ silentMs: 1_000 });
  const other = { ...busy, model: 'n', line: 2 };
  const joined = watchAlone(new CostEstimates(), 1);
  joined.take(0, busy);
  expect(joined.take(300, busy)).toBeNull();
  // 100 + 4 · (2 + 2) · 10 = 260 ms.
  expect(joined.take(350, busy, other)).toMatchObject({ model: 'm', silentMs: 350, budgetMs: 260 });
});

test('whether the engine has something of a model is told by a fresh report only', () => {
  const { take, work } = watch();
  expect(work.holds('m', 0, 1_000)).toBe(false);
  take(0, { ...idle, waiting: 1 });
  expect(work.holds('m', 1_000, 1_000)).toBe(true);
  expect(work.holds('n', 1_000, 1_000)).toBe(false);
  expect(work.holds('m', 1_001, 1_000)).toBe(false);
  take(1_100, idle);
  expect(work.holds('m', 1_100, 1_000)).toBe(false);
});
