import {
  afterLoss,
  afterTrial,
  circuitPolicy,
  closedCircuit,
  onTrial,
  pauseBeforeTrial,
  type Circuit,
} from './circuit';

const policy = circuitPolicy(1_000);
const soon = policy.staysUpMs - 1;

/** Engines that were up for so long, one after the other. */
function losses(upMs: readonly number[], circuit: Circuit = closedCircuit, nowMs = 0): Circuit {
  return upMs.reduce((state, up) => afterLoss(state, up, nowMs, policy), circuit);
}

test('four engines in a row that end soon open it; one that stayed up in between starts the count again', () => {
  expect(losses([soon, 0, soon])).toMatchObject({ state: 'closed', strikes: 3 });
  expect(losses([soon, 0, soon, 0])).toMatchObject({ state: 'open', strikes: 4 });
  expect(losses([0, 0, 0, policy.staysUpMs, 0, 0, 0])).toMatchObject({ state: 'closed', strikes: 3 });
});

test('each trial that fails doubles the pause, up to a minute', () => {
  let circuit = losses([0, 0, 0, 0]);
  const pauses: number[] = [];
  for (let i = 0; i < 8; i++) {
    pauses.push(pauseBeforeTrial(circuit, policy));
    circuit = afterLoss(onTrial(circuit), policy.staysUpMs * 2, 0, policy);
  }
  // 1 s · 2⁶ = 64 s is above the minute.
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('an engine on trial that stays up closes it; what it had cost is remembered for a minute', () => {
  const closed = afterTrial(onTrial(losses([0, 0, 0, 0])), 5_000);
  expect(closed).toMatchObject({ state: 'closed', strikes: 0 });
  const openedAt = (nowMs: number): Circuit => losses([0, 0, 0, 0], closed, nowMs);
  expect(pauseBeforeTrial(openedAt(5_000 + policy.forgetMs - 1), policy)).toBe(2_000);
  expect(pauseBeforeTrial(openedAt(5_000 + policy.forgetMs), policy)).toBe(1_000);
});

test('only an open circuit goes on trial, and only a trial closes it', () => {
  const open = losses([0, 0, 0, 0]);
  expect(onTrial(closedCircuit)).toBe(closedCircuit);
  expect(afterTrial(open, 0)).toBe(open);
  expect(losses([0], open)).toBe(open);
});
