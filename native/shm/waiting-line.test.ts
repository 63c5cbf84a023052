import { WaitingLine } from './waiting-line';

test('first come, first served; who cannot go yet stops the others', () => {
  const line = new WaitingLine();
  const done: string[] = [];
  let open = false;
  line.join(() => open && done.push('a') > 0);
  line.join(() => done.push('b') > 0);
  line.advance();
  expect(done).toEqual([]);
  open = true;
  line.advance();
  expect(done).toEqual(['a', 'b']);
  expect(line.length).toBe(0);
});

// A request that was answered while it was sent let its own fetch join at the head, and the wrong one was removed.
test('who joins in the middle of an attempt keeps its place', () => {
  const line = new WaitingLine();
  const done: string[] = [];
  let free = false;
  line.join(() => {
    line.join(() => free && done.push('fetch') > 0, 'first');
    return done.push('request') > 0;
  });
  line.advance();
  line.advance();
  expect(done).toEqual(['request']);
  free = true;
  line.advance();
  expect(done).toEqual(['request', 'fetch']);
  line.clear();
});
