import { newTrace, type RoundTrace } from './decision-log';
import { parseOptions } from './options';
import { MemorySeries } from './process-usage';
import { lacking, report, type Measured } from './report';

/** Submitted at 1,000 with the deadline 2,000. */
const decidedAt = (at: number | null): RoundTrace => ({ ...newTrace(1_000, 2_000), decidedAt: at });

const measured = (traces: readonly RoundTrace[]): Measured => ({
  options: parseOptions([]),
  traces,
  duplicateDecisions: 0,
  bareChainMs: null,
  cpuSeconds: new Map(),
  loopLags: {},
  shardBytesPerCandidate: 1,
  memory: new MemorySeries(new Map()),
  growthSinceMs: 0,
  eventLoopSpinMs: 1,
  roundShape: { couriers: 1, orders: 1, bodyBytes: 1 },
  search: null,
});

test('rounds without a decision are late and the slowest', () => {
  const traces = [decidedAt(1_100), { ...decidedAt(2_001), effort: 'reduced' }, decidedAt(null)];
  // Ranks of 3: p50 is the second, 1,001 ms; p99 and the largest are the third, which never came.
  expect(report(measured(traces))).toMatchObject({
    rounds: 3,
    decided: 2,
    undecided: 1,
    lateDecisions: 2,
    decisionsInHaste: { reduced: 1, none: 0 },
    decisionMsP50: 1_001,
    decisionMsP99: Infinity,
    decisionMsMax: Infinity,
  });
  expect(lacking({ traces })).toBe('1 of 3 rounds have no decision');
});

test('a run without rounds lacks them; one whose rounds are all decided, late or not, lacks nothing', () => {
  expect(lacking({ traces: [] })).toBe('no round was measured');
  expect(lacking({ traces: [decidedAt(1_100), decidedAt(2_001)] })).toBeNull();
});
