import { PhaseTokens } from './phase-tokens';

test('in the order of ranks, while any capacity is free', () => {
  const tokens = new PhaseTokens(1);
  expect(tokens.ask('a', 0.4, 1)).toEqual(['a']);
  // 0.4 is taken: another may come in, although 0.4 + 1 is more than there is
  expect(tokens.ask('b', 1, 2)).toEqual(['b']);
  expect(tokens.ask('d', 0.1, 4)).toEqual([]);
  expect(tokens.ask('c', 1, 3)).toEqual([]);
  // b's 1 is still all of it
  expect(tokens.giveBack('a')).toEqual([]);
  expect(tokens.giveBack('b')).toEqual(['c']);
  expect(tokens.giveBack('c')).toEqual(['d']);
});

test('two of two processors at once', () => {
  const tokens = new PhaseTokens(2);
  expect(tokens.ask('a', 1, 1)).toEqual(['a']);
  expect(tokens.ask('b', 1, 2)).toEqual(['b']);
  expect(tokens.ask('c', 1, 3)).toEqual([]);
  expect(tokens.giveBack('b')).toEqual(['c']);
});

test('who gives back while waiting gets no turn; a demand above the capacity is all of it', () => {
  const tokens = new PhaseTokens(1);
  expect(tokens.ask('a', 5, 1)).toEqual(['a']);
  expect(tokens.ask('b', 1, 2)).toEqual([]);
  expect(tokens.ask('c', 1, 3)).toEqual([]);
  expect(tokens.giveBack('b')).toEqual([]);
  expect(tokens.giveBack('a')).toEqual(['c']);
  expect(tokens.giveBack('unknown')).toEqual([]);
});
