import { runKinds } from './run-kinds';

test('a kind is a policy and a way for the engine', () => {
  expect(runKinds('fifo|staggered:turns=on,instances=4')).toEqual([
    { name: 'fifo', scheduler: 'fifo', way: { name: '', parameters: {} } },
    {
      name: 'staggered:turns=on,instances=4',
      scheduler: 'staggered',
      way: { name: 'turns=on,instances=4', parameters: { turns: 'on' }, instances: 4 },
    },
  ]);
});

test.each([
  ['lifo', 'lifo: fifo or staggered'],
  ['fifo:a=b:c', 'fifo:a=b:c: fifo or staggered'],
  ['fifo:turns', 'turns: settings are NAME=VALUE'],
  ['fifo:instances=9', '9 instances: 1 to 8'],
  ['fifo:instances=0', '0 instances'],
])('%s is refused', (given, why) => {
  expect(() => runKinds(given)).toThrow(why);
});
