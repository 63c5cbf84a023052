import { CostEstimates } from './cost-estimates';
import { WorkInFlight, type Flight } from './work-in-flight';

const floorMs = 1_000;
const kib = 1_024;
let nextId = 0;

function flight(startedAtMs: number, changes: Partial<Flight> = {}): Flight {
  const requestId = String(nextId++);
  return { model: 'm', version: '1', requestId, bytes: kib, startedAtMs, timeLeftMs: 10_000, ...changes };
}

/** Model m costs 100 ms a KiB. */
function workOf(...flights: readonly Flight[]): WorkInFlight {
  const costs = new CostEstimates();
  costs.observe('m', kib, 100);
  const work = new WorkInFlight(costs, floorMs);
  for (const one of flights) work.begin(one);
  return work;
}

test('the budget is the floor and four times what the work is expected to take', () => {
  // 1,000 + 4 · 100 · (1 + 3) = 2,600
  const work = workOf(flight(0), flight(0, { bytes: 3 * kib }));
  expect(work.silence(2_600)).toBeNull();
  expect(work.silence(2_601)).toEqual({ model: 'm', silentMs: 2_601, budgetMs: 2_600, requests: 2 });
});

test('what came after the silence began does not prolong it', () => {
  const work = workOf(flight(0));
  for (let at = 100; at < 1_400; at += 10) work.begin(flight(at));
  // 1,000 + 4 · 100
  expect(work.silence(1_401)).toMatchObject({ budgetMs: 1_400 });
});

test('an answer begins the time anew, with all that is there then', () => {
  const first = flight(0);
  const work = workOf(first, flight(0), flight(10));
  work.end(first, 1_000);
  // Its 1,000 ms move the estimate half of the way: 100 + 450 = 550; 1,000 + 4 · 550 · 2 = 5,400.
  expect(work.silence(1_000 + 5_400)).toBeNull();
  expect(work.silence(1_000 + 5_401)).toMatchObject({ budgetMs: 5_400, requests: 2 });
});

test('a model that never answered has until the latest deadline', () => {
  const work = workOf(
    flight(0, { model: 'new', timeLeftMs: 3_000 }),
    flight(0, { model: 'new', timeLeftMs: 8_000 }),
  );
  expect(work.silence(9_000)).toBeNull();
  expect(work.silence(9_001)).toMatchObject({ model: 'new', budgetMs: 9_000 });
});

test('other models take time, too, but their answers are none of this one', () => {
  const other = flight(0, { model: 'other', timeLeftMs: 2_000 });
  const work = workOf(flight(0), other);
  // 1,000 + 4 · 100 + 2,000
  expect(work.silence(3_400)).toBeNull();
  work.end(other, 3_300);
  expect(work.silence(3_400)).toMatchObject({ model: 'm', budgetMs: 1_400 });
});

test('a request that was given up counts until the engine has let go of it', () => {
  const [hung, cancelled] = [flight(0), flight(0)];
  const work = workOf(hung, cancelled);
  work.forget(cancelled);
  expect(work.silence(1_401)).toMatchObject({ requests: 1 });
  work.forget(hung);
  expect(work.silence(100_000)).toBeNull();
  expect(work.all()).toEqual([]);
});

test('requests that are refused or given up in the queue are no progress behind one that hangs', () => {
  const hung = flight(0);
  const work = workOf(hung);
  for (let at = 100; at < 1_400; at += 100) {
    const refused = flight(at);
    work.begin(refused);
    work.forget(refused);
  }
  expect(work.silence(1_401)).toMatchObject({ silentMs: 1_401, requests: 1 });
});

test('where every request is given up and let go of in time, the model is slow and not silent', () => {
  // One a second, each of which the engine lets go of after 1.2 s.
  const work = workOf();
  for (let at = 0; at < 20_000; at += 1_000) {
    const slow = flight(at);
    work.begin(slow);
    if (at > 0) work.forget([...work.all()][0]!);
    expect(work.silence(at + 200)).toBeNull();
  }
});

test('a silence teaches patience: the next engine may take four times as long', () => {
  const work = workOf(flight(0));
  work.learnFrom(work.silence(5_000)!);
  // 1,000 + 4 · 5,000
  expect(work.silence(21_000)).toBeNull();
  expect(work.silence(21_001)).toMatchObject({ budgetMs: 21_000 });
  // But it is not taken to need more than the 10 s that its request had.
  work.learnFrom(work.silence(100_000)!);
  expect(work.silence(100_000)).toMatchObject({ budgetMs: 41_000 });
});
