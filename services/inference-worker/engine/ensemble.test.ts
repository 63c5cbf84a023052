import { stepsIn, withoutComments } from './ensemble';

test('the steps of an ensemble, each once, without what comments say', () => {
  const config = `platform: "ensemble" # model_name: "no"
ensemble_scheduling { step [
  { model_name: "add" input_map { key: "model_name: x" value: "#a" } },
  { model_name:'scale' }, { model_name: "add" } ] }`;
  expect(stepsIn(config)).toEqual(['add', 'scale']);
});

test('another model has none', () => {
  expect(stepsIn('backend: "echo" parameters { key: "model_name" value: { string_value: "x" } }')).toEqual(
    [],
  );
  expect(stepsIn('# ensemble_scheduling\nmodel_name: "x"')).toEqual([]);
});

test('a # in a text of either kind of quotes begins no comment', () => {
  expect(withoutComments(`a: "#b" 'c#' # d "e`)).toBe(`a: "#b" 'c#' `);
});

/** Looking for the end from each quote would take 10^12 steps. */
test('a text without an end is taken to the end of its line, however many quotes it has', () => {
  const text = `"${'\\"'.repeat(1_000_000)}`;
  expect(withoutComments(`${text}\nb # c`)).toBe(`${text}\nb `);
});
