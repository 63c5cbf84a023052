import { BrokerClock } from './broker-clock';

test('times are told by the last measurement that succeeded', async () => {
  const answers: (number | Error)[] = [100.4, -250, new Error('CLOCK_SKEWED')];
  const clock = new BrokerClock(async () => {
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  expect(clock.brokersTime(1_000)).toBe(1_000);
  expect(await clock.measure()).toBe(100.4);
  expect(clock.brokersTime(1_000)).toBe(900); // 1,000 - 100.4, rounded
  expect(await clock.measure()).toBe(-250);
  expect(clock.brokersTime(1_000)).toBe(1_250);
  await expect(clock.measure()).rejects.toThrow('CLOCK_SKEWED');
  expect(clock.brokersTime(1_000)).toBe(1_250);
});
