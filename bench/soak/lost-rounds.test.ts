import { lostRounds } from './lost-rounds';

const round = (roundId: string, sentAt: number) => ({ roundId, sentAt, deadline: sentAt + 3_000 });

test('a lost round is told with the last fault before its deadline', () => {
  const faults = [
    { name: 'redis-cut', at: 10_000 },
    { name: 'kill-engine', at: 20_000 },
  ];
  const accepted = [round('a', 5_000), round('b', 12_000), round('c', 18_000), round('d', 25_000)];
  // c was sent 2 s before the second fault and due 1 s after it.
  expect(lostRounds(accepted, new Map([['d', []]]), faults)).toEqual([
    'a: sent at 1970-01-01T00:00:05.000Z, before any fault',
    'b: sent at 1970-01-01T00:00:12.000Z, 2000 ms after redis-cut',
    'c: sent at 1970-01-01T00:00:18.000Z, -2000 ms after kill-engine',
  ]);
});

test('nothing is told where nothing is lost, and twenty at most', () => {
  const accepted = Array.from({ length: 30 }, (_, i) => round(`r${i}`, i));
  expect(lostRounds(accepted, new Map(accepted.map(({ roundId }) => [roundId, []])), [])).toEqual([]);
  expect(lostRounds(accepted, new Map(), [])).toHaveLength(20);
});
