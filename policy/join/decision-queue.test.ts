import { DecisionQueue, type QueuedDecision } from './decision-queue';

const decision = (zone: string, sequence: number, deadline: number): QueuedDecision => ({
  zone,
  sequence: BigInt(sequence),
  deadline,
});
const named = ({ zone, sequence }: QueuedDecision) => `${zone}${sequence}`;

function orderOf(...decisions: QueuedDecision[]): string[] {
  const queue = new DecisionQueue();
  decisions.forEach((one) => queue.add(one));
  return queue.inOrder().map(named);
}

test('the nearest deadline first; of equal ones the first that came', () => {
  expect(
    orderOf(decision('a', 1, 30), decision('b', 1, 10), decision('c', 1, 30), decision('d', 1, 20)),
  ).toEqual(['b1', 'd1', 'a1', 'c1']);
});

test('a round goes before newer ones of its zone, whatever its own deadline', () => {
  // a2 is due at 10, so a1, due at 90, goes before it, and both before b1 at 20.
  expect(orderOf(decision('b', 1, 20), decision('a', 1, 90), decision('a', 2, 10))).toEqual([
    'a1',
    'a2',
    'b1',
  ]);
  expect(orderOf(decision('b', 1, 20), decision('a', 2, 10), decision('a', 1, 90))).toEqual([
    'a1',
    'a2',
    'b1',
  ]);
  // With the same deadline, too.
  expect(orderOf(decision('a', 2, 10), decision('a', 1, 10))).toEqual(['a1', 'a2']);
});

test('an urgent one takes along the older ones of its zone only', () => {
  const queued = [decision('a', 1, 40), decision('a', 2, 50), decision('a', 4, 60), decision('b', 1, 30)];
  // a3 at 5: a1 and a2 with it; a4 stays behind b1.
  expect(orderOf(...queued, decision('a', 3, 5))).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
});

test('random ones: in the order of their zone, and nobody waits for one that is due later and not needed', () => {
  let seed = 7;
  const below = (n: number) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  for (let round = 0; round < 300; round++) {
    const all = Array.from({ length: 1 + below(12) }, (_, i) => decision('abc'[below(3)]!, i, below(8)));
    const queue = new DecisionQueue();
    const shuffled = all.map((one) => ({ one, at: below(1_000) })).sort((x, y) => x.at - y.at);
    shuffled.forEach(({ one }) => queue.add(one));
    const order = queue.inOrder();
    const dueBy = ({ zone, sequence }: QueuedDecision) =>
      Math.min(
        ...all.filter((x) => x.zone === zone && x.sequence >= sequence).map(({ deadline }) => deadline),
      );
    expect(order).toHaveLength(all.length);
    order.slice(1).forEach((later, i) => {
      const before = order[i]!;
      expect(dueBy(before)).toBeLessThanOrEqual(dueBy(later));
      if (before.zone === later.zone) expect(before.sequence).toBeLessThan(later.sequence);
    });
  }
});

test('what is taken or removed is gone', () => {
  const queue = new DecisionQueue();
  const [a, b, c] = [decision('a', 1, 1), decision('b', 1, 2), decision('c', 1, 3)];
  [a, b, c].forEach((one) => queue.add(one));
  expect(queue.takeAt(1)).toBe(b);
  queue.remove(a);
  queue.remove(a);
  expect([queue.inOrder(), queue.length]).toEqual([[c], 1]);
});
