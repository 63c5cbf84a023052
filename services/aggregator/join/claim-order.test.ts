import { openRound } from '../../../test/support/held-port';
import { afterOlder } from './claim-order';

beforeEach(() => void jest.useFakeTimers({ now: 1_000 }));
afterEach(() => void jest.useRealTimers());

async function isOver(waiting: Promise<void>): Promise<boolean> {
  let over = false;
  void waiting.then(() => (over = true));
  await jest.advanceTimersByTimeAsync(0);
  return over;
}

test('waits until all older ones have left their zone', async () => {
  const [one, two] = [openRound('1').open, openRound('2').open];
  const waiting = afterOlder([one, two], null);
  one.leave();
  expect(await isOver(waiting)).toBe(false);
  two.leave();
  expect(await isOver(waiting)).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
  expect(await isOver(afterOlder([], null))).toBe(true);
});

test.each([
  ['as long as its own time lasts: 1,500 − 1,000', 1_500, 500],
  ['two seconds where it is overdue', null, 2_000],
  ['not at all where its time is over', 900, 0],
])('%s', async (_, until, ms) => {
  const waiting = afterOlder([openRound('1').open], until);
  if (ms > 0) {
    await jest.advanceTimersByTimeAsync(ms - 1);
    expect(await isOver(waiting)).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
  } else await jest.advanceTimersByTimeAsync(1);
  expect(await isOver(waiting)).toBe(true);
});

test('a deadline in years is no timer that is over at once', async () => {
  expect(await isOver(afterOlder([openRound('1').open], 1_900_000_000_000))).toBe(false);
});
