import { explain, explanationOf, type Signal } from './signals';

const signal = (id: string, ...after: string[]): Signal => {
  return { id, after, level: 'bad', where: id, words: '', runbook: 'R', times: null };
};
const kafka = signal('kafka');
const silent = signal('silent:worker/a', 'kafka');
const empty = signal('group-empty:worker', 'kafka', 'silent:worker/*');
const risk = signal('rounds:risk', 'group-empty:worker');
const other = signal('dead-letters:x');

const tree = (signals: Signal[], lately: string[] = []) =>
  explain(signals, lately).map(({ id, root, consequences }) =>
    [root === null ? `(${id})` : id, ...consequences.map((one) => one.id)].join(' > '),
  );

describe('what explains what', () => {
  test('each stands under its cause, also by way of another, and the first cause on its list counts', () => {
    expect(tree([kafka, silent, empty, risk])).toEqual([
      'kafka > silent:worker/a > group-empty:worker > rounds:risk',
    ]);
    expect(tree([silent, empty, risk])).toEqual(['silent:worker/a > group-empty:worker > rounds:risk']);
    expect(tree([empty, risk])).toEqual(['group-empty:worker > rounds:risk']);
    expect(tree([risk])).toEqual(['rounds:risk']);
  });

  test('what nothing explains stands alone; causes keep their order', () => {
    expect(tree([kafka, other, empty])).toEqual(['kafka > group-empty:worker', 'dead-letters:x']);
  });

  test('a cause that is over still explains what lasts', () => {
    expect(tree([risk, other], ['group-empty:worker'])).toEqual([
      '(group-empty:worker) > rounds:risk',
      'dead-letters:x',
    ]);
    // The cause itself, seen again, is no consequence of its own past.
    expect(tree([empty], ['group-empty:worker'])).toEqual(['group-empty:worker']);
  });

  test('a cause of now explains before one that is over, and of those the newest', () => {
    const [late, now] = [signal('late', 'kafka', 'silent:*'), signal('silent:b')];
    expect(tree([now, late], ['kafka'])).toEqual(['silent:b > late']);
    expect(tree([late], ['silent:c', 'kafka'])).toEqual(['(silent:c) > late']);
  });

  test('of two that explain each other the first is the cause', () => {
    expect(tree([signal('a', 'b'), signal('b', 'a'), signal('c', 'b')])).toEqual(['a > b > c']);
    expect(explanationOf(signal('a', 'a', 'x*'), ['a', 'y'])).toBeNull();
  });
});
