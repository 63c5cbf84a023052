import { OwnClock } from './own-clock';

test('a time in which we stand still counts for two ticks', async () => {
  const clock = new OwnClock(10, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 30));
  const before = clock.now();
  expect(before).toBeGreaterThan(0);
  for (const end = performance.now() + 300; performance.now() < end;);
  // Two ticks of 10 ms.
  expect(clock.now() - before).toBeLessThanOrEqual(20);
  clock.close();
});

test('what came in while we stood still is read before it is called', async () => {
  const events: string[] = [];
  const clock = new OwnClock(20, () => events.push('tick'));
  const answer = setTimeout(() => events.push('answer'), 50);
  for (const end = performance.now() + 100; performance.now() < end;);
  await new Promise((resolve) => setTimeout(resolve, 60));
  clearTimeout(answer);
  clock.close();
  expect(events[0]).toBe('answer');
});
