import type { Fault } from '#schemas/errors';
import { labelsOf, labelsText } from './model-labels';

function faultsOf(parsed: unknown): string[] {
  const faults: Fault[] = [];
  labelsOf(parsed, faults);
  return faults.map(({ path }) => path);
}

test('labels and the share are read', () => {
  const faults: Fault[] = [];
  const labels = labelsOf({ stable: { a: '1' }, canary: { a: '2' }, canaryShare: 0.1 }, faults);
  expect(faults).toEqual([]);
  expect([...labels.models.get('canary')!]).toEqual([['a', '2']]);
  expect(labels.canaryShare).toBe(0.1);
});

test('what is written is read again', () => {
  const labels = labelsOf({ stable: { a: '1', b: '12' }, canary: { a: '2' }, canaryShare: 0.25 }, []);
  expect(labelsOf(JSON.parse(labelsText(labels)), [])).toEqual(labels);
});

test.each([
  [null, ['']],
  [[], ['']],
  ['text', ['']],
  [{}, ['stable']],
  [{ stable: null }, ['stable']],
  [{ stable: [] }, ['stable']],
  [{ stable: {}, shiny: {} }, ['shiny']],
  [{ stable: { '../a': '1' } }, ['stable.../a']],
  [{ stable: { 'a/b': '1', '/etc': '1', 'a\0': '1', '': '1' } }, Array(4).fill(expect.anything())],
  [
    { stable: { a: '../1', b: '1/../2', c: '0', d: '01', e: '１', f: '1\0' } },
    Array(6).fill(expect.anything()),
  ],
  [{ stable: { a: 1 } }, ['stable.a']],
  [{ stable: { a: ['1'] } }, ['stable.a']],
  [JSON.parse('{"stable": {"__proto__": "1"}}'), ['stable.__proto__']],
  [JSON.parse('{"stable": {}, "__proto__": {}}'), ['__proto__']],
  [{ stable: {}, canary: {}, canaryShare: -0.1 }, ['canaryShare']],
  [{ stable: {}, canary: {}, canaryShare: 1.1 }, ['canaryShare']],
  [{ stable: {}, canary: {}, canaryShare: '10%' }, ['canaryShare']],
  [{ stable: {}, canary: {}, canaryShare: null }, ['canaryShare']],
  [{ stable: {}, canaryShare: 0.5 }, ['canaryShare']],
])('%j is refused by the field that is wrong', (parsed, paths) => {
  expect(faultsOf(parsed)).toEqual(paths);
});
