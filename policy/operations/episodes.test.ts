import { Episodes, type Sufferer } from './episodes';
import { explain, type Signal } from './signals';

const state = (id: string, after: string[] = [], changes: Partial<Signal> = {}): Signal => {
  return { id, after, level: 'bad', where: id, words: 'is wrong', runbook: 'R', times: null, ...changes };
};
const happened = (id: string, times = 1, after: string[] = []): Signal =>
  state(id, after, { level: 'warn', times });

const kafka = state('kafka');
const empty = state('group-empty', ['kafka']);
const late = (from: number, to: number): Sufferer => {
  return { signal: happened('rounds:late', 1, ['kafka', 'ended:*']), cost: 'late', from, to };
};

function setUp() {
  const episodes = new Episodes();
  const look = (at: number, ...signals: Signal[]) => episodes.saw(explain(signals, episodes.lately(at)), at);
  const short = () =>
    episodes.all().map(({ cause, beganAt, endedAt, times, consequences, rounds }) => {
      const what = [cause, ...consequences.map(({ where }) => where)].join(' > ');
      return `${what} ${beganAt}-${endedAt ?? ''} ×${times} ${rounds.late}/${rounds.partial}`;
    });
  return { episodes, look, short };
}

describe('what was wrong of late', () => {
  test('has a beginning, an end, what followed, and rounds that it cost', () => {
    const { episodes, look, short } = setUp();
    look(1_000);
    look(3_000, kafka);
    expect(short()).toEqual(['kafka 3000- ×0 0/0']);
    look(5_000, kafka, empty);
    // The first began 2 s before the cause was seen; the last was decided before that
    episodes.suffered([late(1_000, 4_000), late(2_000, 9_000)], 9_000);
    look(10_000);
    episodes.suffered([late(10_500, 11_000)], 12_000);
    expect(short()).toEqual(['rounds:late 12000-12000 ×1 0/0', 'kafka > group-empty 3000-10000 ×0 2/0']);
    expect(episodes.standing()).toEqual([]);
  });

  test('the same again within half a minute is the same; later it is another', () => {
    const { look, short } = setUp();
    look(1_000, kafka);
    look(2_000);
    look(31_000, kafka);
    look(32_000);
    expect(short()).toEqual(['kafka 1000-32000 ×0 0/0']);
    look(62_000, kafka);
    expect(short()).toEqual(['kafka 62000- ×0 0/0', 'kafka 1000-32000 ×0 0/0']);
  });

  test('what happens again is counted', () => {
    const { look, short } = setUp();
    look(1_000, happened('dead', 3));
    look(31_000, happened('dead', 4));
    look(61_001, happened('dead', 1));
    expect(short()).toEqual(['dead 61001-61001 ×1 0/0', 'dead 1000-31000 ×7 0/0']);
  });

  test('what happened twice costs nothing in between, and what comes long behind it is not its', () => {
    const { episodes, look, short } = setUp();
    look(1_000, happened('ended:x'));
    look(25_000, happened('ended:x'));
    episodes.suffered([late(10_000, 15_000), late(24_000, 26_000)], 26_000);
    look(42_000, state('group-empty', ['ended:*']));
    expect(short()).toEqual([
      'group-empty 42000- ×0 0/0',
      'rounds:late 26000-26000 ×1 0/0',
      'ended:x 1000-25000 ×2 1/0',
    ]);
  });

  test('what was seen before its cause becomes one with it, its rounds too', () => {
    const { episodes, look, short } = setUp();
    look(1_000, empty);
    episodes.suffered([late(500, 1_500)], 2_000);
    expect(short()).toEqual(['rounds:late 2000-2000 ×1 0/0', 'group-empty 1000- ×0 0/0']);
    look(3_000, kafka, empty);
    expect(short()).toEqual(['kafka > group-empty 1000- ×0 0/0']);
  });

  test('stands while something follows from it, though it is over', () => {
    const { episodes, look } = setUp();
    look(1_000, kafka, empty);
    look(3_000, empty);
    expect(episodes.standing()).toMatchObject([
      { cause: 'kafka', endedAt: 3_000, now: [{ where: 'group-empty' }] },
    ]);
    for (let at = 5_000; at < 200_000; at += 2_000) look(at, empty);
    expect(episodes.standing()).toHaveLength(1);
    look(200_000);
    expect(episodes.standing()).toEqual([]);
  });

  test('trouble stands before warnings, and both before what is over', () => {
    const { episodes, look } = setUp();
    look(1_000, kafka);
    look(2_000, empty);
    look(3_000, empty, state('warn', [], { level: 'warn' }), state('bad'));
    expect(episodes.standing().map(({ cause }) => cause)).toEqual(['bad', 'warn', 'kafka']);
    look(4_000, happened('ended'), empty, state('silent', ['ended']));
    look(6_000, empty, state('silent', ['ended']));
    expect(episodes.standing().map(({ cause }) => cause)).toEqual(['ended', 'kafka']);
    // What happened lasts as long as what follows from it.
    look(8_000);
    expect(episodes.all().find(({ cause }) => cause === 'ended')).toMatchObject({
      ...{ beganAt: 4_000, endedAt: 6_000 },
    });
  });

  test('a clock that is set back makes nothing last for ever', () => {
    const { look, short } = setUp();
    look(3_600_000, kafka);
    look(3_602_000);
    look(1_000, kafka);
    expect(short()).toEqual(['kafka -1000- ×0 0/0']);
  });

  test('is bounded in number, time and what followed', () => {
    const { episodes, look } = setUp();
    for (let i = 0; i < 500; i++) look(i * 100, happened(`a${i}`));
    expect(episodes.all()).toHaveLength(60);
    expect(episodes.all()[0]).toMatchObject({ cause: 'a499' });
    look(100_000, kafka, ...Array.from({ length: 20 }, (_, i) => state(`b${i}`, ['kafka'])));
    expect(episodes.all()[0]!.consequences).toHaveLength(8);
    look(100_000 + 13 * 3_600_000);
    expect(episodes.all()).toHaveLength(0);
  });
});
