import { RoundhouseError } from '#schemas/errors';
import { ClockSteps } from './clock-steps';
import { watchClock, type ClockWatchOptions } from './watch-clock';

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
};

function watched(measures: readonly (number | Error)[]) {
  const wall = { offset: 0 };
  const seen: string[] = [];
  let asked = 0;
  const options: ClockWatchOptions = {
    measure: async () => {
      const found = measures[Math.min(asked++, measures.length - 1)]!;
      if (found instanceof Error) throw found;
      return found;
    },
    events: {
      ClockSkewMeasured: ({ skewMs }) => seen.push(`measured ${skewMs}`),
      ClockStepped: ({ stepMs }) => seen.push(`step ${stepMs}`),
    },
    onSkewed: (error) => seen.push(error.message),
    steps: new ClockSteps({
      wall: () => performance.now() + wall.offset,
      running: () => performance.now(),
    }),
    lookEveryMs: 5,
    againMs: 5,
  };
  return { wall, seen, options, asked: () => asked };
}

const skewed = new RoundhouseError('CLOCK_SKEWED', 'our clock is 5000 ms ahead');

test('a step that the broker made, too, is told and measured, and the service goes on', async () => {
  const { wall, seen, options } = watched([3]);
  const stop = watchClock(options);
  wall.offset += 5_000;
  await until(() => seen.length === 2);
  stop();
  expect(seen).toEqual(['step 5000', 'measured 3']);
});

test('one that is ours alone ends it', async () => {
  const { wall, seen, options } = watched([skewed]);
  const stop = watchClock(options);
  wall.offset -= 5_000;
  await until(() => seen.length === 2);
  stop();
  expect(seen).toEqual(['step -5000', 'our clock is 5000 ms ahead']);
});

test('where Kafka does not answer it is asked again', async () => {
  const { wall, seen, options, asked } = watched([new Error('no broker'), new Error('no broker'), 7]);
  const stop = watchClock(options);
  wall.offset += 100;
  await until(() => seen.length === 2);
  stop();
  expect(seen).toEqual(['step 100', 'measured 7']);
  expect(asked()).toBe(3);
});

test('without a step it is measured from time to time, and not after the stop', async () => {
  const { seen, options, asked } = watched([1]);
  const stop = watchClock({ ...options, measureEveryMs: 10 });
  await until(() => asked() >= 2);
  stop();
  const before = asked();
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(asked()).toBe(before);
  expect(seen).not.toContain(expect.stringMatching(/step/));
});
