import { afterOwnTime } from './own-time';

function standStill(ms: number): void {
  for (const until = Date.now() + ms; Date.now() < until;);
}

test('it is called when the time is over', async () => {
  await new Promise<void>((resolve) => afterOwnTime(20, resolve));
});

test('cancelled, it is not called', async () => {
  let calls = 0;
  afterOwnTime(20, () => calls++).cancel();
  await new Promise<void>((resolve) => afterOwnTime(60, resolve));
  expect(calls).toBe(0);
});

test('an answer that came while we stood still is read before the call', async () => {
  const events: string[] = [];
  // All of the 200 ms are over before the answer is looked at; one slice of 20 ms counts.
  const late = afterOwnTime(200, () => events.push('late'));
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      events.push('answer');
      late.cancel();
      resolve();
    }, 250);
    standStill(400);
  });
  await new Promise<void>((resolve) => afterOwnTime(250, resolve));
  expect(events).toEqual(['answer']);
});
