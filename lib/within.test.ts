import { within } from './within';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const late = () => new Error('too late');
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));

test('what comes in time is what comes, and no timer stays', async () => {
  await expect(within(100, Promise.resolve(7), late)).resolves.toBe(7);
  await expect(within(100, Promise.reject(new Error('its own')), late)).rejects.toThrow('its own');
  expect(jest.getTimerCount()).toBe(0);
});

test('nothing in time is the error of whoever asks, made only then', async () => {
  const made = jest.fn(late);
  const ended = expect(within(100, new Promise(() => undefined), made)).rejects.toThrow('too late');
  jest.advanceTimersByTime(99);
  expect(made).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1);
  await ended;
  expect(made).toHaveBeenCalledTimes(1);
});

test("a rejection that comes later is nobody's", async () => {
  let fail = (_: Error): void => undefined;
  const ended = expect(within(100, new Promise((_, reject) => (fail = reject)), late)).rejects.toThrow(
    'too late',
  );
  jest.advanceTimersByTime(100);
  await ended;
  fail(new Error('later'));
  jest.useRealTimers();
  // An unhandled rejection is told of after the microtasks of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
