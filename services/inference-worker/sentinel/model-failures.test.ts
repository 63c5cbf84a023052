import { ModelFailures, ProvenModels } from './model-failures';

const fiveOf = (failures: ModelFailures, model: string, id: (i: number) => string): boolean[] =>
  [0, 1, 2, 3, 4].map((i) => failures.failed(model, id(i)));

test('a model that answered and then fails five different requests in a row poisons its engine', () => {
  const failures = new ModelFailures(new ProvenModels());
  failures.succeeded('m/1');
  expect(fiveOf(failures, 'm/1', (i) => `r${i}`)).toEqual([false, false, false, false, true]);
});

test('one request that fails again and again, an answer in between, or a model without a past does not', () => {
  const failures = new ModelFailures(new ProvenModels());
  failures.succeeded('m/1');
  expect(fiveOf(failures, 'm/1', () => 'same')).not.toContain(true);
  expect(failures.failed('m/1', 'b')).toBe(false);
  failures.succeeded('m/1');
  expect(failures.failed('m/1', 'c')).toBe(false);
  expect(fiveOf(failures, 'm/2', (i) => `r${i}`)).not.toContain(true);
});

test('one that fails in the next engine, too, is at fault itself, until it answers', () => {
  const proven = new ProvenModels();
  const first = new ModelFailures(proven);
  first.succeeded('m/1');
  expect(fiveOf(first, 'm/1', (i) => `r${i}`).at(-1)).toBe(true);
  const second = new ModelFailures(proven);
  expect(fiveOf(second, 'm/1', (i) => `r${i}`)).not.toContain(true);
  second.succeeded('m/1');
  expect(fiveOf(second, 'm/1', (i) => `s${i}`).at(-1)).toBe(true);
});
