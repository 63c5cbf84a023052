import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { LeadNeed, type DecisionTimes } from './lead-need';

let now = 1_000_000;
const clock = () => now;
const inMs = (ms: number) => (now + ms) as UnixMs;

async function sends(need: LeadNeed, what: 'shards' | 'manifest', ms: number): Promise<void> {
  await need.inTime(inMs(60_000), what, async () => void (now += ms));
}

const closed = (closedAt: number, appendedAt: number): DecisionTimes => ({
  ...{ receivedAt: Number.NaN, closedAt, appendedAt, deadline: appendedAt, outage: undefined },
  ...{ phases: {} },
});

beforeEach(() => (now = 1_000_000));

test('without load, the floor is what a round needs', () => {
  const need = new LeadNeed(150, clock);
  expect(() => need.require(inMs(150), 'shards')).not.toThrow();
  expect(() => need.require(inMs(149), 'shards')).toThrow(/149 ms away, and a round needs 150 ms at present/);
  expect(() => need.require(inMs(-20), 'manifest')).toThrow(/^the deadline was 20 ms ago/);
});

test('what sending and closing took of late is needed on top, and forgotten after 3 s', async () => {
  const need = new LeadNeed(150, clock);
  for (let i = 0; i < 4; i++) {
    await sends(need, 'shards', 200);
    await sends(need, 'manifest', 100);
    need.decided(closed(now - 50, now));
  }
  // 150 + (200 + 100) + 50, and without the shards 150 + 100 + 50.
  expect(() => need.require(inMs(500), 'shards')).not.toThrow();
  expect(() => need.require(inMs(499), 'shards')).toThrow(
    expect.objectContaining({
      code: 'INGEST_BUSY',
      message:
        'the deadline is 499 ms away, and a round needs 500 ms at present: 150 at least, 300 until it is on Kafka, 50 from there to its decision',
      faults: [{ path: 'deadline', value: `${now + 499}`, limit: `at least 500 ms after now (${now})` }],
    }),
  );
  expect(() => need.require(inMs(300), 'manifest')).not.toThrow();
  expect(() => need.require(inMs(299), 'manifest')).toThrow(/needs 300 ms/);
  now += 3_001;
  expect(() => need.require(inMs(150), 'shards')).not.toThrow();
});

test('one slow sending of many, or two alone, cost nobody their time', async () => {
  const need = new LeadNeed(0, clock);
  await sends(need, 'manifest', 500);
  await sends(need, 'manifest', 500);
  expect(need.sendingMs('manifest')).toBe(0);
  for (let i = 0; i < 18; i++) await sends(need, 'manifest', 5);
  await sends(need, 'manifest', 5);
  // Nine of ten of 21: the 19th, and two took 500.
  expect(need.sendingMs('manifest')).toBe(5);
});

test('a sending that hangs is known before it ends, also where it fails', async () => {
  const need = new LeadNeed(100, clock);
  let fail!: (error: Error) => void;
  const hanging = need.inTime(inMs(900), 'shards', () => new Promise<void>((_, reject) => (fail = reject)));
  now += 700;
  expect(() => need.require(inMs(799), 'shards')).toThrow(/needs 800 ms/);
  fail(new Error('no broker'));
  await expect(hanging).rejects.toThrow('no broker');
  expect(() => need.require(inMs(100), 'shards')).not.toThrow();
});

// Guards against rounds that come to an aggregator which reads their manifests too late to decide them in time.
test('taking a round in and claiming its decision count at the aggregator, waiting for its turn does not', () => {
  const decided = (phases: DecisionTimes['phases']) => {
    const need = new LeadNeed(150, clock);
    for (let i = 0; i < 3; i++) need.decided({ ...closed(now - 20, now), phases });
    return need.closingMs();
  };
  expect(decided({ take: 190, wait: 300, decide: 25, claim: 40 })).toBe(250); // 190 + 40 + 20
  // An aggregator that stood still for 4 s, or a header that isn't ours: 500 + 20, and 1,000 at most.
  expect(decided({ take: 4_000 })).toBe(520);
  expect(decided({ take: 4_000, claim: 9_000 })).toBe(1_000);
});

test('decisions of long ago, of skewed clocks or without a time tell nothing, or little', () => {
  const need = new LeadNeed(100, clock);
  for (let i = 0; i < 5; i++) {
    need.decided(closed(now - 10_000, now - 5_000));
    need.decided(closed(Number.NaN, now));
    need.decided(closed(123, now));
  }
  expect(need.closingMs()).toBe(0);
  for (let i = 0; i < 5; i++) need.decided(closed(now + 80, now));
  expect(need.closingMs()).toBe(0);
  for (let i = 0; i < 50; i++) need.decided(closed(now - 9_000, now));
  expect(need.closingMs()).toBe(1_000);
});

test('a sending that waits until it is too late is not begun, and refused as the round would be', async () => {
  const need = new LeadNeed(100, clock);
  const deadline = inMs(500);
  for (let i = 0; i < 3; i++) await sends(need, 'manifest', 50);
  for (let i = 0; i < 3; i++) need.decided(closed(now - 20, now));
  let given: number | undefined;
  const late = need.inTime(deadline, 'shards', async ({ beginBy }) => {
    given = beginBy;
    throw new RoundhouseError('DEADLINE_EXCEEDED', 'it waited');
  });
  await expect(late).rejects.toMatchObject({
    code: 'INGEST_BUSY',
    message: expect.stringContaining('a round needs 170 ms'),
  });
  // The manifest has to be sent behind the shards: 500 − 100 − 50 − 20; it itself: 500 − 100 − 20.
  expect(given).toBe(deadline - 170);
  expect(need.beginBy(deadline, 'manifest')).toBe(deadline - 120);
});

test('rounds that came late through load tell for a second how long a round takes', () => {
  const need = new LeadNeed(150, clock);
  const late = (ms: number, changes: Partial<DecisionTimes> = {}) =>
    need.decided({
      ...{ receivedAt: now - ms, closedAt: now, appendedAt: now, deadline: now - 1, outage: undefined },
      ...{ phases: {}, ...changes },
    });
  for (let i = 0; i < 3; i++) late(1_400, { deadline: now }); // in time
  for (let i = 0; i < 3; i++) late(1_400, { outage: 'redis' });
  for (let i = 0; i < 3; i++) late(1_400, { receivedAt: Number.NaN });
  expect(need.neededMs('shards')).toBe(150);
  for (let i = 0; i < 3; i++) late(1_200, { outage: i === 0 ? 'kafka' : undefined });
  expect(() => need.require(inMs(1_199), 'shards')).toThrow(
    'the deadline is 1199 ms away, and a round needs 1200 ms at present: rounds that took as long were late just now',
  );
  // A round whose shards are on Kafka goes on.
  expect(() => need.require(inMs(150), 'manifest')).not.toThrow();
  now += 1_001;
  expect(need.neededMs('shards')).toBe(150);
});
