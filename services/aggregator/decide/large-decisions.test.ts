import { add, asked, contentOf, HeldPort, means, openRound } from '../../../test/support/held-port';
import type { OpenRound } from '../join/open-round';
import { DecidingThread, type DecidedThere, type ThreadAnswer } from './decide-thread';
import { LargeDecisions } from './large-decisions';

test('outcomes told as they come and outcomes sent with the question give the same bytes, in any order', async () => {
  const bytes: string[] = [];
  for (const order of [
    [0, 1, 2],
    [2, 0, 1],
  ]) {
    const { open, outcomes } = openRound('r');
    expect(outcomes).toHaveLength(3);
    const port = new HeldPort();
    const decisions = new LargeDecisions(port);
    decisions.prepare(open);
    for (const shard of order) {
      add(open, outcomes[shard]!);
      decisions.tellOutcomes(open);
    }
    const made = await decisions.decide(open, false, null);
    expect(asked(port)).toMatchObject([{ manifestBytes: null, told: order, outcomes: new Map() }]);
    expect(port.jobs.map(({ kind }) => kind)).toEqual(['prepare', 'outcome', 'outcome', 'outcome', 'decide']);
    expect(contentOf(made).coverage).toBe(1);
    bytes.push(Buffer.from(made!.answer.bytes).toString('hex'));
  }
  const { open, outcomes } = openRound('r');
  for (const outcome of outcomes) add(open, outcome);
  const whole = await new LargeDecisions(new HeldPort()).decide(open, false, null);
  bytes.push(Buffer.from(whole!.answer.bytes).toString('hex'));
  expect(new Set(bytes).size).toBe(1);
});

test('a thread that knows nothing of the round, as one made anew, is sent all of it', async () => {
  const { open, outcomes } = openRound('r');
  const port = new HeldPort();
  const decisions = new LargeDecisions(port);
  decisions.prepare(open);
  outcomes.forEach((outcome) => add(open, outcome));
  decisions.tellOutcomes(open);
  port.tell({ kind: 'drop', number: 0 });
  const made = await decisions.decide(open, false, null);
  expect(contentOf(made).coverage).toBe(1);
  expect(asked(port).map(({ manifestBytes, told }) => [manifestBytes !== null, told])).toEqual([
    [false, [0, 1, 2]],
    [true, []],
  ]);
});

test('an outcome that is invalid goes with the question and counts as failed', async () => {
  const { open, outcomes } = openRound('r');
  const port = new HeldPort();
  const decisions = new LargeDecisions(port);
  decisions.prepare(open);
  add(open, outcomes[0]!);
  add(open, { ...outcomes[1]!, candidateCount: 77 });
  const { shards } = contentOf(await decisions.decide(open, false, null));
  expect(shards.map(({ status, errorCode }) => [status, errorCode])).toEqual([
    ['solved', null],
    ['failed', 'PAYLOAD_INVALID'],
    ['missing', null],
  ]);
});

test('rounds due together are decided in the order of their deadlines, with what effort leaves time', async () => {
  const now = 1_000;
  const port = new HeldPort();
  const pace = { fullMs: () => 100, reducedMs: () => 40, learn: jest.fn() };
  const decisions = new LargeDecisions(port, pace as never, () => now);
  const rounds = [1_300, 1_100, 1_200].map((deadline) => openRound(`r${deadline}`, deadline).open);
  // Times stand still: 1,040 + 40 + 40 ≤ 1,190 and 1,100 + 40 + 40 ≤ 1,180; the last can't make 1,030.
  const made = await Promise.all(
    [1_180, 1_140, 1_190].map((until, i) => decisions.decide(rounds[i]!, false, until)),
  );
  expect(asked(port).map(({ number }) => number)).toEqual([1, 2, 0]);
  expect(made.map((one) => one?.effort)).toEqual(['full', 'full', 'full']);
  const late = openRound('late').open;
  expect(await decisions.decide(late, false, 1_030)).toBeNull();
  expect((await decisions.decide(openRound('short').open, false, 1_099))?.effort).toBe('reduced');
  expect(pace.learn).toHaveBeenLastCalledWith('reduced', expect.any(Number), 0);
});

test('a round whose time runs out while the thread is busy is given up; the next one finds it free', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  try {
    const port = new HeldPort();
    const decisions = new LargeDecisions(port);
    port.hold();
    const [first, second, third] = ['a', 'b', 'c'].map((id) => openRound(id).open) as OpenRound[];
    const made = [first, second].map((open) => decisions.decide(open!, false, Date.now() + 500));
    const last = decisions.decide(third!, false, null);
    await new Promise(setImmediate);
    expect(asked(port)).toHaveLength(1);
    jest.advanceTimersByTime(500);
    expect(await Promise.all(made)).toEqual([null, null]);
    port.go();
    expect((await last)?.answer.kind).toBe('decided');
    expect(asked(port)).toHaveLength(2);
  } finally {
    jest.useRealTimers();
  }
});

// Guards against overdue rounds that never got a decision, nor those behind them, from a thread that hangs.
test('overdue rounds are given up, too, where the thread does not answer for minutes', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  try {
    const port = new HeldPort();
    const decisions = new LargeDecisions(port);
    port.hold();
    const made = ['1', '2'].map((id) => decisions.decide(openRound(id).open, false, null));
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked(port)).toHaveLength(1);
    jest.advanceTimersByTime(300_000);
    expect(await Promise.all(made)).toEqual([null, null]);
    port.go();
  } finally {
    jest.useRealTimers();
  }
});

// Guards against a thread that hangs once and leaves every later round without its plans.
test('a thread that hangs is replaced; the new one is sent all of the next round', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  try {
    const port = new HeldPort();
    const onHung = jest.fn();
    const decisions = new LargeDecisions(port, undefined, undefined, onHung);
    const { open, outcomes } = openRound('next');
    outcomes.forEach((outcome) => add(open, outcome));
    decisions.prepare(open);
    port.hold();
    const hung = decisions.decide(openRound('hangs').open, false, Date.now() + 500);
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(500);
    expect(await hung).toBeNull();
    const next = decisions.decide(open, false, null);
    // 10 s and 20 times what six candidates are expected to take: 10 + 0.004 · 6 ms.
    jest.advanceTimersByTime(9_700);
    expect(onHung).toHaveBeenCalledWith(expect.closeTo(10_200.5, 0));
    expect(port.replaced).toBe(1);
    expect(contentOf(await next).coverage).toBe(1);
    expect(asked(port).at(-1)?.manifestBytes).not.toBeNull();
  } finally {
    jest.useRealTimers();
  }
});

test('a thread that ends rejects the round that it had, and the next one is asked', async () => {
  const port = new HeldPort();
  const ask = jest.spyOn(port, 'ask').mockRejectedValueOnce(new Error('ended'));
  const decisions = new LargeDecisions(port);
  const results = await Promise.allSettled(
    ['a', 'b'].map((id) => decisions.decide(openRound(id).open, false, null)),
  );
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('the load is that of rounds which are not forgotten', () => {
  const port = new HeldPort();
  const decisions = new LargeDecisions(port);
  const { open } = openRound('r');
  decisions.prepare(open);
  decisions.prepare(open);
  expect([decisions.load, decisions.has(open)]).toEqual([6, true]);
  decisions.forget(open);
  decisions.forget(open);
  decisions.tellOutcomes(open);
  expect([decisions.load, decisions.has(open)]).toEqual([0, false]);
  expect(port.jobs.map(({ kind }) => kind)).toEqual(['prepare', 'drop']);
});

test('a manifest that was foreseen is told once, and its round is decided from that', async () => {
  const port = new HeldPort();
  const decisions = new LargeDecisions(port);
  const { open, outcomes } = openRound('r');
  expect(decisions.has(open)).toBe(false);
  decisions.foresee(open.parts.manifestBytes);
  expect(decisions.has(open)).toBe(true);
  expect(decisions.load).toBeCloseTo(open.parts.manifestBytes.byteLength / 20);
  outcomes.forEach((outcome) => add(open, outcome));
  const made = await decisions.decide(open, false, null);
  expect(contentOf(made).coverage).toBe(1);
  expect(port.jobs.map(({ kind }) => kind)).toEqual(['prepare', 'outcome', 'outcome', 'outcome', 'decide']);
  expect(asked(port)).toMatchObject([{ number: 0, manifestBytes: null }]);
});

test('a manifest that was foreseen for nothing is dropped', () => {
  const port = new HeldPort();
  const decisions = new LargeDecisions(port);
  const { open } = openRound('r');
  decisions.foresee(open.parts.manifestBytes);
  decisions.dismiss(open.parts.manifestBytes);
  decisions.dismiss(open.parts.manifestBytes);
  expect([decisions.has(open), decisions.load]).toEqual([false, 0]);
  expect(port.jobs.map(({ kind }) => kind)).toEqual(['prepare', 'drop']);
});

test('bytes that are no manifest do not end the thread', () => {
  const thread = new DecidingThread(means);
  expect(thread.answer({ kind: 'prepare', number: 0, manifestBytes: Buffer.from('no manifest') })).toBeNull();
  const question = {
    kind: 'decide',
    number: 0,
    manifestBytes: null,
    told: [],
    outcomes: new Map(),
    closedBy: 'deadline',
    stale: false,
    effort: 'full',
  } as const;
  expect(thread.answer(question)).toEqual({ kind: 'lacking' });
});

test('what the thread answers of a round that was evicted by eight others', () => {
  const thread = new DecidingThread(means);
  const { open } = openRound('r');
  for (let number = 0; number < 9; number++) {
    thread.answer({ kind: 'prepare', number, manifestBytes: open.parts.manifestBytes });
  }
  const ask = (number: number): ThreadAnswer['kind'] =>
    (
      thread.answer({
        kind: 'decide',
        number,
        manifestBytes: null,
        told: [],
        outcomes: new Map(),
        closedBy: 'deadline',
        stale: false,
        effort: 'full',
      }) as DecidedThere
    ).kind;
  expect([ask(0), ask(1), ask(8)]).toEqual(['lacking', 'decided', 'decided']);
});
