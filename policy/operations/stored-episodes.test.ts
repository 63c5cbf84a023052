import {
  isSameList,
  readEpisodes,
  withoutFuture,
  writeEpisodes,
  type StoredEpisode,
} from './stored-episodes';

const line = {
  level: 'bad',
  where: 'Kafka',
  words: 'does not answer',
  runbook: 'RoundhouseOutageLasts',
} as const;
const episode = (id = 'kafka', changes: Partial<StoredEpisode> = {}): StoredEpisode => ({
  ...{ signal: { ...line, id, after: ['all'], times: null }, times: 0 },
  ...{ beganAt: 1_000, endedAt: null, seenAt: 5_000 },
  ...{ consequences: [['silent:worker', line]], rounds: { late: 1, partial: 2 } },
  ...changes,
});
const all = 1_000_000;

test('what is written is read', () => {
  const report = { worker: 'worker', id: 'x.json' };
  const list = [episode(), episode('incident:worker', { endedAt: 5_000, times: 3 })];
  const told = { ...list[1]!, signal: { ...list[1]!.signal, times: 1, report } };
  expect(readEpisodes(writeEpisodes([list[0]!, told], all))).toEqual([list[0], told]);
  expect(readEpisodes(writeEpisodes([], all))).toEqual([]);
});

test('of a list that is too long the newest, which stand last', () => {
  const bytes = JSON.stringify(episode('id-0')).length + 1;
  const list = Array.from({ length: 5 }, (_, i) => episode(`id-${i}`));
  const kept = readEpisodes(writeEpisodes(list, 2 * bytes + 1));
  expect(kept.map(({ signal }) => signal.id)).toEqual(['id-3', 'id-4']);
  const many = Array.from({ length: 70 }, (_, i) => episode(`id-${i}`));
  expect(readEpisodes(writeEpisodes(many, all)).map(({ signal }) => signal.id)[0]).toBe('id-10');
});

test.each(['', '<html>', 'null', '[]', '{}', '{"format":2,"episodes":[]}', '{"format":1,"episodes":{}}'])(
  '%j has none',
  (text) => expect(readEpisodes(text)).toEqual([]),
);

test.each([
  null,
  {},
  episode('a', { beganAt: -1 }),
  episode('a', { seenAt: 1.5 }),
  // No clock shows them, or they began behind what was seen last.
  episode('a', { seenAt: Number.MAX_SAFE_INTEGER }),
  episode('a', { endedAt: 8_640_000_000_000_001 }),
  episode('a', { beganAt: 5_001 }),
  episode('a', { endedAt: 'x' as never }),
  episode('a', { rounds: { late: 1 } as never }),
  episode('a', { times: null as never }),
  episode('a', { consequences: [['x']] as never }),
  episode('a', { consequences: Array(9).fill(['x', line]) }),
  episode('a', { signal: { ...episode().signal, level: 'odd' as never } }),
  episode('a', { signal: { ...episode().signal, runbook: '../x' } }),
  episode('a', { signal: { ...episode().signal, after: [5] as never } }),
  episode('a', { signal: { ...episode().signal, words: 'x'.repeat(20_001) } }),
  episode('a', { signal: { ...episode().signal, report: { worker: 5 } as never } }),
])('an episode that is none is left out: %#', (odd) => {
  const text = JSON.stringify({ format: 1, episodes: [odd, episode()] });
  expect(readEpisodes(text)).toEqual([episode()]);
});

test.each([
  [{ seenAt: 5_000 }, 5_000, true],
  [{ seenAt: 3_605_000 }, 5_000, true],
  [{ seenAt: 3_605_001 }, 5_000, false],
  [{ endedAt: 3_605_001 }, 5_000, false],
  [{ seenAt: 8_640_000_000_000_000 }, 5_000, false],
])('of %j at %i it is left: %s; an hour is what a clock may have been ahead', (changes, at, isLeft) => {
  const list = [episode('a', changes), episode()];
  expect(withoutFuture(list, at)).toEqual(isLeft ? list : [episode()]);
});

test('two lists are the same where they have the same episodes, in whichever order', () => {
  const [one, two] = [episode('kafka'), episode('redis')];
  expect([isSameList([], []), isSameList([one, two], [two, one])]).toEqual([true, true]);
  const others = [[one], [one, one], [one, two, two], [one, { ...two, times: two.times + 1 }]];
  expect(others.map((other) => isSameList([one, two], other))).toEqual([false, false, false, false]);
});
