import { ClockSteps } from './clock-steps';

function clocks() {
  const now = { wall: 1_000_000, running: 500 };
  return {
    now,
    steps: new ClockSteps({ wall: () => now.wall, running: () => now.running }),
    pass: (ms: number) => {
      now.wall += ms;
      now.running += ms;
    },
  };
}

test('time that passes is no step, however much of it', () => {
  const { steps, pass } = clocks();
  pass(86_400_000);
  expect(steps.look()).toBe(0);
});

test('a clock that is set forward or back is seen once, with the milliseconds', () => {
  const { steps, pass, now } = clocks();
  pass(250);
  now.wall += 5_000;
  expect([steps.look(), steps.look()]).toEqual([5_000, 0]);
  now.wall -= 3_000;
  pass(250);
  expect([steps.look(), steps.look()]).toEqual([-3_000, 0]);
});

test('slewing by 20 ms between two looks is none; 21 are a step', () => {
  const { steps, now } = clocks();
  now.wall += 20;
  expect(steps.look()).toBe(0);
  now.wall += 21;
  expect(steps.look()).toBe(21);
});

test('a stall between the two readings is no step', () => {
  let running = 0;
  let stalls = 1;
  const steps = new ClockSteps({
    wall: () => {
      if (stalls-- > 0) running += 400;
      return 1_000 + running;
    },
    running: () => running,
  });
  stalls = 1;
  expect(steps.look()).toBe(0);
});
