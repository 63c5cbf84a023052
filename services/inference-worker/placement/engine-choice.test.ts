import { asWanted, chooseEngines, type Machine } from './engine-choice';

const machine = (changes: Partial<Machine> = {}): Machine => ({
  devices: undefined,
  gpus: 0,
  isBuiltForGpus: true,
  ...changes,
});
const chosen = (wanted: string, changes: Partial<Machine> = {}) =>
  chooseEngines(wanted, machine(changes)).map(({ id, devices }) => `${id}=${devices}`);

test('auto is one engine a GPU where there are several, and else one that finds out itself', () => {
  expect(chosen('auto', { gpus: 3 })).toEqual(['gpu:0=0', 'gpu:1=1', 'gpu:2=2']);
  expect(chosen('auto', { gpus: 1 })).toEqual(['local=null']);
  expect(chosen('auto')).toEqual(['local=null']);
  expect(chosen('auto', { gpus: 3, isBuiltForGpus: false })).toEqual(['local=null']);
  expect(chosen('auto', { gpus: 3, devices: 'cpu' })).toEqual(['local=null']);
});

test('auto takes the GPUs that ROUNDHOUSE_DEVICES names; what is wrong there is for the engine to say', () => {
  expect(chosen('auto', { gpus: 3, devices: '0,2' })).toEqual(['gpu:0=0', 'gpu:2=2']);
  expect(chosen('auto', { gpus: 3, devices: '2' })).toEqual(['local=null']);
  for (const devices of ['0,0', 'nonsense'])
    expect(chosen('auto', { gpus: 3, devices })).toEqual(['local=null']);
});

test('a list is an engine an entry; the processor is the last resort beside GPUs', () => {
  expect(chosen('0;1,2;cpu')).toEqual(['gpu:0=0', 'gpu:1,2=1,2', 'cpu=cpu']);
  expect(chooseEngines('0;cpu', machine()).map(({ isLastResort }) => isLastResort)).toEqual([false, true]);
  expect(chooseEngines('auto;cpu', machine({ gpus: 2 })).map(({ isFound }) => isFound)).toEqual([
    true,
    true,
    false,
  ]);
});

test('several engines on the processor', () => {
  expect(chosen('cpu;cpu')).toEqual(['cpu:0=cpu', 'cpu:1=cpu']);
  expect(chooseEngines('cpu;cpu', machine()).some(({ isLastResort }) => isLastResort)).toBe(false);
});

test('what an engine says of its device names the setting that it came from', () => {
  const [listed, inherited] = [chooseEngines('5;7', machine())[1]!, chooseEngines('auto', machine())[0]!];
  const said = 'ROUNDHOUSE_DEVICES asks for GPU 7, and there are none';
  expect(asWanted(listed, said)).toBe('ROUNDHOUSE_ENGINES with 7 asks for GPU 7, and there are none');
  expect(asWanted(inherited, said)).toBe(said);
});

test.each([
  ['0;1;0', 'ROUNDHOUSE_ENGINES names GPU 0 twice'],
  ['0,1;1', 'ROUNDHOUSE_ENGINES names GPU 1 twice'],
  ['auto;auto', 'ROUNDHOUSE_ENGINES names auto twice'],
  [Array.from({ length: 65 }, (_, number) => number).join(';'), 'asks for 65 engines, 64 at most'],
])('%s is refused', (wanted, why) => {
  expect(() => chosen(wanted)).toThrow(why);
});
