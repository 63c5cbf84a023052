import { phases, phaseTimes, resourceOfPhase } from './phases';
import { Timetable } from './timetable';

const etr = phases.indexOf('etr');
const or = phases.indexOf('or');
const times = (etrMs: number, orMs: number) =>
  phaseTimes({ decode: 0, copyIn: 0, etr: etrMs, or: orMs, copyOut: 0, publish: 0 });
const whole = () => 1;

test('a phase begins when its resource is free and the one before has ended', () => {
  const table = new Timetable();
  table.start('a', times(10, 20), whole, 0);
  table.start('b', times(10, 20), whole, 0);
  // ETR: a 0–10, b 10–20; OR: a 10–30, b 30–50.
  table.look(15);
  expect([table.leftMs('a', etr), table.leftMs('a', or)]).toEqual([0, 15]);
  expect([table.leftMs('b', etr), table.leftMs('b', or)]).toEqual([5, 20]);
});

test('two at a time where each takes half of the resource', () => {
  const table = new Timetable();
  const half = () => 1 / 2;
  for (const id of ['a', 'b', 'c']) table.start(id, times(10, 0), half, 0);
  // a 0–10, b 5–15, c 10–20
  table.look(7);
  expect(['a', 'b', 'c'].map((id) => table.leftMs(id, etr))).toEqual([3, 8, 10]);
});

test('it stands still at the end of a shard that is not there yet, and follows one that is early', () => {
  const table = new Timetable();
  table.start('a', times(10, 0), whole, 0);
  table.start('b', times(10, 0), whole, 0);
  // a should have been done at 10; it is not at 14: b has not begun.
  table.look(14);
  expect(table.leftMs('b', etr)).toBe(10);
  table.leave('a');
  table.look(18);
  expect(table.leftMs('b', etr)).toBe(6);
  table.start('c', times(10, 0), whole, 18);
  // b's answer comes after 4 of its 10 ms: c begins now.
  table.leave('b');
  table.look(19);
  expect(table.leftMs('c', etr)).toBe(9);
});

test('what resources have ahead is the sum of what is left of each phase', () => {
  const table = new Timetable();
  const ids = ['a', 'b', 'c', 'd'];
  const halfOfEtr = (phase: number) => (phase === etr ? 1 / 2 : 1);
  ids.forEach((id, at) => table.start(id, times(10 + at, 20 - at), halfOfEtr, at));
  const ahead = (): Float64Array => {
    const sums = new Float64Array(5);
    table.addAhead(sums);
    return sums;
  };
  for (const [nowMs, gone] of [
    [4, ''],
    [9, 'a'],
    [16, ''],
    [17, 'c'],
    [33, 'b'],
  ] as const) {
    if (gone !== '') {
      table.leave(gone);
      ids.splice(ids.indexOf(gone), 1);
    }
    table.look(nowMs);
    const left = (phase: number, demand: number): number =>
      ids.reduce((sum, id) => sum + demand * table.leftMs(id, phase), 0);
    expect(ahead()[resourceOfPhase[etr]!]).toBeCloseTo(left(etr, 1 / 2), 9);
    expect(ahead()[resourceOfPhase[or]!]).toBeCloseTo(left(or, 1), 9);
  }
  table.leave('d');
  expect([...ahead()]).toEqual([0, 0, 0, 0, 0]);
});

test('what stood idle owes nothing', () => {
  const table = new Timetable();
  table.start('a', times(10, 0), whole, 0);
  table.leave('a');
  table.start('b', times(10, 0), whole, 100);
  table.look(105);
  expect(table.leftMs('b', etr)).toBe(5);
});
