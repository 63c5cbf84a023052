import { buildLook } from '../../../test/support/build-look';
import { buildDecisionView, buildRoundView } from '../../../test/support/build-round-view';
import { computeFigures, type FigureSources } from './figures';
import { History, historyLength } from './history';
import { histogramQuantile, quantileOf } from './quantiles';
import { CounterSteps } from '../scrape/counter-steps';
import type { ServiceLook } from '../scrape/scrape-service';
import { RecentGrowth } from './recent-growth';

const nothing = { shardsWaiting: null, secondsBehind: null, atRisk: null, engineLosses: null };
const figures = (sources: Partial<FigureSources>) =>
  computeFigures({
    ...{ now: 100_000, rounds: [], services: [], growth: new RecentGrowth(60_000), ...nothing },
    ...sources,
  });

/** Looks one after the other, and what grew meanwhile. */
function growing() {
  const [steps, growth] = [new CounterSteps(), new RecentGrowth(60_000)];
  return { growth, saw: (looks: readonly ServiceLook[], at: number) => growth.saw(steps.saw(looks), at) };
}

test('without rounds and services there is nothing to tell', () => {
  expect(Object.values(figures({})).every((value) => value === null)).toBe(true);
});

test('figures of rounds are those of the last minute', () => {
  const decided = (id: string, at: number, changes = {}) =>
    buildRoundView(id, at - 80, { decision: buildDecisionView(at, changes) });
  const rounds = [
    // Too long ago
    decided('old', 39_000, { coverage: 0 }),
    decided('a', 50_000),
    decided('b', 60_000, { coverage: 0.5, closedBy: 'deadline' }),
    // 2 s after its deadline, and one that an outage accounts for: it has no decision in time either
    buildRoundView('late', 70_000, { decision: buildDecisionView(73_000) }),
    buildRoundView('marked', 70_000, { decision: buildDecisionView(73_000, { outage: 'redis' }) }),
    // Its deadline is over: 90,980
    buildRoundView('overdue', 90_000),
    buildRoundView('waits', 99_900),
  ];
  expect(figures({ rounds })).toMatchObject({
    // a and b of those four and the overdue one: 2 of 5
    success: 0.4,
    // From the body, 20 ms before the manifest: 100 ms, 100 ms, 3,020 ms twice
    latencyP50: 0.1,
    latencyP99: 3.02,
    // (1 + 0.5 + 1 + 1) / 4
    coverage: 0.875,
    deadlineCloses: 0.25,
  });
});

const metrics = (solved: number, or: readonly number[], extra = '') => `
dispatch_engine_pid{engine="cpu",service="inference-worker"} 7
dispatch_shards_finished_total{status="solved",code="none"} ${solved}
dispatch_shards_finished_total{status="late",code="none"} 9
dispatch_shard_phase_seconds_bucket{le="0.001",phase="or"} ${or[0]}
dispatch_shard_phase_seconds_bucket{le="0.01",phase="or"} ${or[1]}
dispatch_shard_phase_seconds_bucket{le="+Inf",phase="or"} ${or[1]}
dispatch_data_plane_pool_used_bytes{engine="cpu"} 25
dispatch_data_plane_pool_bytes{engine="cpu"} 100
${extra}`;

test('figures of services are what counters grew by, over all processes', () => {
  const { growth, saw } = growing();
  const first = [buildLook('worker', metrics(1_000, [50, 100])), buildLook('worker-2', metrics(0, [0, 0]))];
  const second = [buildLook('worker', metrics(1_030, [50, 110])), buildLook('worker-2', metrics(10, [0, 0]))];
  saw(first, 10_000);
  saw(second, 20_000);
  expect(figures({ services: second, growth })).toMatchObject({
    // 30 and 10 in 10 s
    shardRate: 4,
    // All ten between 1 and 10 ms: 1 + 9 · 0.99
    orP99: expect.closeTo(0.00991),
    etrP99: null,
    // 50 of 200
    poolUse: 0.25,
    gpuMemory: null,
    fallbackRate: 0,
  });
});

test('a process that was started anew counts from 0; one that is silent counts nothing meanwhile', () => {
  const { growth, saw } = growing();
  const solved = () => growth.total('dispatch_shards_finished_total', ({ status }) => status === 'solved');
  saw([buildLook('worker', metrics(1_000, [0, 0]))], 10_000);
  saw([buildLook('worker', '', { fault: 'gone' })], 12_000);
  saw([buildLook('worker', metrics(5, [0, 0]))], 14_000);
  expect(solved()).toBe(5);
  // Another one that is seen for the first time: what it counted before is not of late
  saw([buildLook('worker', metrics(6, [0, 0])), buildLook('b', metrics(900, [0, 0]))], 16_000);
  expect(solved()).toBe(6);
  saw([], 90_000);
  expect(solved()).toBe(0);
});

test('where the clock is set back what is of late begins anew', () => {
  const { growth, saw } = growing();
  const at = (time: number, solved: number) => saw([buildLook('worker', metrics(solved, [0, 0]))], time);
  const rate = () => growth.rate('dispatch_shards_finished_total', ({ status }) => status === 'solved');
  at(3_600_000, 0);
  at(3_602_000, 100);
  at(1_000, 110);
  expect([growth.seconds, rate()]).toEqual([0, null]);
  at(3_000, 150); // 40 in 2 s
  expect([growth.seconds, rate()]).toEqual([2, 20]);
});

test('GPUs are asked where there are some', () => {
  const gpu = `
dispatch_gpu_utilization_ratio{gpu="0"} 0.5
dispatch_gpu_utilization_ratio{gpu="1"} 0.7
dispatch_gpu_device_used_bytes{gpu="0"} 10
dispatch_gpu_device_size_bytes{gpu="0"} 40`;
  expect(figures({ services: [buildLook('worker', metrics(0, [0, 0], gpu))] })).toMatchObject({
    deviceUse: expect.closeTo(0.6),
    gpuMemory: 0.25,
  });
});

describe('quantiles', () => {
  test('of values', () => {
    expect(quantileOf([], 0.5)).toBeNull();
    expect(quantileOf([3, 1, 2], 0.5)).toBe(2);
    expect(quantileOf([3, 1, 2], 0.99)).toBe(3);
  });

  test('of buckets, as Prometheus has them', () => {
    expect(histogramQuantile(new Map(), 0.99)).toBeNull();
    expect(
      histogramQuantile(
        new Map([
          [1, 0],
          [Infinity, 0],
        ]),
        0.99,
      ),
    ).toBeNull();
    // The fifth of ten lies in the middle of 1..2
    expect(
      histogramQuantile(
        new Map([
          [2, 10],
          [1, 0],
          [Infinity, 10],
        ]),
        0.5,
      ),
    ).toBe(1.5);
    // Beyond the last end
    expect(
      histogramQuantile(
        new Map([
          [1, 5],
          [Infinity, 10],
        ]),
        0.9,
      ),
    ).toBe(1);
  });
});

test('a history keeps the last values', () => {
  const history = new History();
  for (let at = 0; at < historyLength + 5; at++) history.add(figures({ atRisk: at }), at);
  expect(history.figures.atRisk.length).toBe(historyLength);
  expect([history.times[0], history.figures.atRisk[0]]).toEqual([5, 5]);
});

test('moments without a look get the figures of the next one, so that the past has its real length', () => {
  const history = new History(2_000);
  const seen = (at: number, atRisk: number) => history.add(figures({ atRisk }), at);
  seen(0, 1);
  seen(2_040, 2);
  seen(10_000, 3); // (10,000 − 2,040) / 2,000 = 3.98: three were left out
  expect(history.times).toEqual([0, 2_040, 4_000, 6_000, 8_000, 10_000]);
  expect(history.figures.atRisk).toEqual([1, 2, 3, 3, 3, 3]);
  seen(10_000_000, 4);
  expect([history.times.length, history.figures.atRisk[0]]).toEqual([historyLength, 4]);
});
