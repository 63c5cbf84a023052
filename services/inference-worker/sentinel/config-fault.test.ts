import { configFault } from './config-fault';

const end = (code: number | null) => ({ code, signal: null });

test('only the exit code 2 is a fault of the configuration; it is told with all its lines', () => {
  const words = 'I1130 core\nengine: CONFIG_INVALID: A: no number\nB: no number';
  expect(configFault(end(2), words)).toBe('A: no number\nB: no number');
  for (const code of [null, 0, 1, 3, 86]) expect(configFault(end(code), words)).toBeNull();
});

test('without the words of a service it is all that was written', () => {
  expect(configFault(end(2), 'sh: syntax')).toBe('sh: syntax');
  expect(configFault(end(2), '')).toBe('');
});
