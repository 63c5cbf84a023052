import { forgetAbsent } from './forget-absent';

test('of those that are gone the newest thousand are remembered, and all that are there', () => {
  const names = Array.from({ length: 1_003 }, (_, at) => `worker@${at}`);
  const known = new Map(names.map((name) => [name, 1]));
  forgetAbsent(known, new Set(['worker@1']));
  // 1,002 are gone: two too many, the oldest of which are 0 and 2.
  expect([known.size, known.has('worker@0'), known.has('worker@1'), known.has('worker@2')]).toEqual([
    1_001,
    false,
    true,
    false,
  ]);
  expect(known.has('worker@3')).toBe(true);
});
