import { stepsIn } from './ensemble';

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
