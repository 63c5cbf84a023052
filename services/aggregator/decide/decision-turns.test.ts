import { stat } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DecisionTurns } from './decision-turns';
import { LoopPace } from './loop-pace';

/** Timers of the same length end in the order of their begins. */
const nextTurn = () => sleep(0);
const candidates = 1_000; // 1 + 0.003 · 1,000 = 4 ms, reduced 2 ms

function setUp(now = () => 0, handOverMs = () => 0) {
  const made: string[] = [];
  const turns = new DecisionTurns({ neededMs: handOverMs }, new LoopPace(), now);
  const take = (
    name: string,
    deadline: number,
    until: number | null = deadline,
    zone = name,
    sequence = 0n,
  ) =>
    turns
      .take({ zone, sequence, candidates, deadline, until: () => until })
      .then((effort) => made.push(`${name} ${effort}`));
  return { made, turns, take };
}

test('a decision alone is made at once', async () => {
  const { made, take } = setUp();
  await take('a', 1_000);
  expect(made).toEqual(['a full']);
});

// Guards against decisions that wait to be sent until all rounds that became complete together are decided.
test('of those that come together one is made in a turn of the event loop, by their deadlines', async () => {
  const { made, take } = setUp();
  const all = [take('a', 3_000), take('c', 2_000), take('b', 1_000)];
  await Promise.resolve();
  expect(made).toEqual(['a full']);
  await nextTurn();
  expect(made).toEqual(['a full', 'b full']);
  await Promise.all(all);
  expect(made).toEqual(['a full', 'b full', 'c full']);
  await nextTurn();
  await take('d', 1_000);
  expect(made.at(-1)).toBe('d full');
});

// Guards against a send that waits for the next decision, since both wait for the same phase of a turn.
test('what an answer to the one before begins comes before the next one', async () => {
  const { made, take } = setUp();
  const all: Promise<unknown>[] = [];
  // As answers do, it comes in the phase of a turn in which input is read.
  await new Promise<void>((resolve) =>
    stat(__filename, () => {
      all.push(take('a', 1_000), take('b', 2_000));
      setImmediate(() => made.push('send of a'));
      resolve();
    }),
  );
  await Promise.all(all);
  expect(made).toEqual(['a full', 'send of a', 'b full']);
});

test('where time is short each gets what lets the most be made', async () => {
  let now = 0;
  const { made, take } = setUp(() => now);
  const takes = { full: 4, reduced: 2, none: 0 };
  const working = (name: string, deadline: number, until: number | null) =>
    take(name, deadline, until).then(() => {
      now += takes[made.at(-1)!.split(' ')[1] as keyof typeof takes];
    });
  const all = [
    working('a', 100, 100),
    working('b', 8, 8),
    working('c', 8, 8),
    working('d', 9, 7),
    working('e', 9, null),
  ];
  await Promise.all(all);
  // a begins at once, with nobody behind it, and ends at 4. b in full would end at 8, and c miss its time; with less
  // both make it: at 6 and 8. It is too late for d, and e can only be late.
  expect(made).toEqual(['a full', 'b reduced', 'c reduced', 'd none', 'e full']);
});

test('those of a zone are made in their order, and as early as the most urgent of them', async () => {
  const { made, take } = setUp();
  const all = [
    take('first', 10),
    take('a2', 100, 100, 'a', 2n),
    take('b', 200),
    take('a1', 900, 900, 'a', 1n),
    take('a3', 300, 300, 'a', 3n),
  ];
  await Promise.all(all);
  expect(made).toEqual(['first full', 'a1 full', 'a2 full', 'b full', 'a3 full']);
});

// Guards against decisions that are late because others of their zone, which wait for them, were not counted.
test('a queue of one zone that is too long loses effort, not time', async () => {
  let now = 0;
  const { turns } = setUp(() => now);
  const takes = { full: 4, reduced: 2, none: 0 };
  const made: number[] = [];
  const begin = async (i: number) => {
    const place = { zone: 'zone', sequence: BigInt(i), deadline: 40 + i };
    const effort = await turns.take({ ...place, candidates, until: () => 30 + i });
    now += takes[effort];
    made.push(i);
    return { effort, end: now };
  };
  const decisions = await Promise.all(Array.from({ length: 30 }, (_, i) => begin(i)));
  expect(made).toEqual(Array.from({ length: 30 }, (_, i) => i));
  // One for which it is too late may have to wait for the one before it, 2 ms.
  decisions.forEach(({ effort, end }, i) =>
    expect(end).toBeLessThanOrEqual(30 + i + (effort === 'none' ? 2 : 0)),
  );
  // 59 ms at the end, of which nearly all are used: 30 reduced ones take 60.
  expect(decisions.filter(({ effort }) => effort !== 'none').length).toBeGreaterThanOrEqual(28);
});

test('those for which it is too late are made together, before one that takes time', async () => {
  const { made, take } = setUp(() => 10);
  const all = [take('a', 20), take('b', 11, 1), take('c', 12, 2), take('d', 20), take('e', 20)];
  await nextTurn();
  expect(made).toEqual(['a full', 'b none', 'c none', 'd full']);
  await Promise.all(all);
  expect(made).toHaveLength(5);
});

// Guards against rounds that keep what handing over took when they came, while it takes longer since.
test('what has to be left is asked in each turn: the hand-over, and the longest turn of late', async () => {
  let now = 0;
  let handOverMs = 50;
  const { turns } = setUp(
    () => now,
    () => handOverMs,
  );
  const left: number[] = [];
  const take = (sequence: bigint) => {
    const until = (neededMs: number) => {
      left.push(neededMs);
      return 1_000 - neededMs;
    };
    return turns.take({ zone: 'a', sequence, candidates, deadline: 1_000, until });
  };
  const all = [take(1n), take(2n), take(3n)];
  await expect(all[0]).resolves.toBe('full');
  expect(left).toEqual([50]);
  [now, handOverMs] = [30, 80]; // the turn took 30
  await nextTurn();
  expect(left).toEqual([50, 110, 110]);
  // 900 ms: what is left of the time is less than 80 + (900 − 30).
  now = 900;
  await expect(all[2]).resolves.toBe('none');
  expect(left.at(-1)).toBe(950);
});

test('a decision takes the whole turn of the event loop that it is made in', async () => {
  let now = 0;
  const { turns, take } = setUp(() => now);
  await take('a', 1_000);
  now = 24; // 6 times the 4 ms of an idle machine: 1 + 0.2 · 5 = 2
  await nextTurn();
  expect(turns.pace.fullMs(candidates)).toBe(8);
});

test('what decisions take is learned, within bounds', () => {
  const pace = new LoopPace();
  expect([pace.fullMs(1_000), pace.reducedMs(1_000)]).toEqual([4, 2]);
  pace.learn(1_000, 24); // 6 times: 1 + 0.2 · 5 = 2
  expect(pace.fullMs(1_000)).toBe(8);
  for (let i = 0; i < 100; i++) pace.learn(1_000, 5_000);
  expect(pace.fullMs(1_000)).toBeCloseTo(48, 3);
  for (let i = 0; i < 100; i++) pace.learn(1_000, 0);
  expect(pace.fullMs(1_000)).toBeCloseTo(2, 3);
});
