import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasSpareCores } from './spare-cores';
import { stepsInBetween } from './steps-in-between';

function* counting(taken: number[], last: number) {
  for (let step = 1; step <= last; step++) yield taken.push(step);
}

test('all steps are taken, and what waits comes in between', async () => {
  const taken: number[] = [];
  const all = stepsInBetween(counting(taken, 3), () => false);
  expect(taken).toEqual([]);
  await nextTurn();
  expect(taken).toEqual([1]);
  await all;
  expect(taken).toEqual([1, 2, 3]);
});

test('no step is taken once it is over', async () => {
  const taken: number[] = [];
  await stepsInBetween(counting(taken, 9), () => taken.length === 2);
  expect(taken).toEqual([1, 2]);
});

test('a step that throws ends them', async () => {
  function* failing() {
    yield 1;
    throw new Error('of a step');
  }
  await expect(stepsInBetween(failing(), () => false)).resolves.toBeUndefined();
});

test('four cores are enough for a chain and its threads, three are not', () => {
  expect([3, 4].map((cores) => hasSpareCores(cores))).toEqual([false, true]);
});
