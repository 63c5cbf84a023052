import { newTrace, type RoundTrace } from '../pipeline/decision-log';
import { isCarried, nextRate, saturatedOn, stepOf, type Step, type Usage } from './step';

const idle: Usage = { cores: 2, machineCores: 0.5, byProcess: { engine: 0.3 } };

function trace(changes: Partial<RoundTrace> = {}): RoundTrace {
  return {
    ...newTrace(0, 1_000),
    decidedAt: 400,
    closedBy: 'complete',
    coverage: 1,
    candidatesSolved: 100,
    ...changes,
  };
}

test('a step counts what was refused, late, and lacked plans', () => {
  const traces = [
    trace(),
    trace({ coverage: 0.5, closedBy: 'deadline', decidedAt: 900 }),
    trace({ decidedAt: 1_001 }),
    trace({ decidedAt: null }),
    trace({ refusal: '503 busy', decidedAt: null }),
  ];
  const step = stepOf(5, 1, traces, idle);
  // Coverage of the three decided: (1 + 0.5 + 1) / 3; whole are two of the four accepted.
  expect(step).toMatchObject({
    rounds: 5,
    refused: 1,
    undecided: 1,
    late: 1,
    coverageMean: 0.8333,
    wholeShare: 0.5,
    closedByDeadline: 1,
    candidatesPerSecond: 300,
    decisionMsP50: 900,
    // Of 600, 100 and −1.
    leftMsLeast: -1,
    leftMsP1: -1,
  });
  expect(isCarried(step)).toBe(false);
});

test.each([
  ['no round', []],
  ['none that is decided', [trace({ decidedAt: null }), trace({ refusal: '503 busy', decidedAt: null })]],
])('a step with %s has no times, also once it is JSON', (_, traces) => {
  const empty = stepOf(5, 1, traces, idle);
  const none = {
    ...{ lateLeadMsP50: null, lateByMsP50: null, leftMsLeast: null, leftMsP1: null },
    ...{ decisionMsP50: null, decisionMsP99: null },
  };
  expect(empty).toMatchObject({ late: 0, wholeShare: 0, coverageMean: 0, ...none });
  expect(JSON.parse(JSON.stringify(empty))).toEqual(empty);
  expect(isCarried(empty)).toBe(false);
});

const step = (roundsPerSecond: number, wholeShare: number): Step => ({
  ...stepOf(roundsPerSecond, 1, [trace()], idle),
  wholeShare,
});

test('the sweep goes on until well beyond the first rate that is not carried', () => {
  const sweep = { rates: null, start: 5, growth: 1.5 };
  expect(nextRate([], sweep)).toBe(5);
  expect(nextRate([step(5, 1)], sweep)).toBe(7.5);
  expect(nextRate([step(5, 1), step(7.5, 0.9)], sweep)).toBe(11.25);
  // 16.875 ≤ 2.5 · 7.5 = 18.75; 25.3 is beyond it.
  expect(nextRate([step(7.5, 0.9), step(11.25, 0.5)], sweep)).toBeCloseTo(16.88, 1);
  expect(nextRate([step(7.5, 0.9), step(16.9, 0.5)], sweep)).toBeNull();
  expect(nextRate([step(3, 1)], { ...sweep, rates: [3, 9] })).toBe(9);
  expect(nextRate([step(3, 1), step(9, 1)], { ...sweep, rates: [3, 9] })).toBeNull();
});

test('what saturates is told: the machine, one thread, or no processor', () => {
  const at = (machineCores: number, byProcess: Record<string, number>) =>
    saturatedOn({ ...step(5, 1), usage: { cores: 2, machineCores, byProcess } });
  expect(at(1.9, { engine: 1.1, broker: 0.4, worker: 0.2 })).toBe(
    "the machine's 2 cores (1.90 busy: engine 1.10, broker 0.40, worker 0.20)",
  );
  expect(at(1.2, { worker: 0.95, engine: 0.2 })).toBe('the thread of worker (0.95 cores)');
  expect(at(0.5, { engine: 0.3 })).toBe('no processor (0.50 of 2 cores busy: engine 0.30)');
});
