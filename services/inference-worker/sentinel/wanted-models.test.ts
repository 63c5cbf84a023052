import { WantedModels } from './wanted-models';

test('the last operation of each model counts, in the order of the last ones', () => {
  const wanted = new WantedModels();
  const noted: string[] = [];
  const end = wanted.onNoted(({ kind, model }) => void noted.push(`${kind} ${model}`));
  void wanted.note({ kind: 'load', model: 'a' });
  void wanted.note({ kind: 'unload', model: 'b' });
  void wanted.note({ kind: 'unload', model: 'a' });
  end();
  void wanted.note({ kind: 'load', model: 'c' });
  expect(wanted.operations()).toEqual([
    { kind: 'unload', model: 'b' },
    { kind: 'unload', model: 'a' },
    { kind: 'load', model: 'c' },
  ]);
  expect(noted).toEqual(['load a', 'unload b', 'unload a']);
});
