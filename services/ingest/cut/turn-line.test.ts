import { TurnLine } from './turn-line';

test('one at a time, urgent ones before others that wait, a failed one in the way of none', async () => {
  const line = new TurnLine();
  const done: string[] = [];
  let running = 0;
  const task = (name: string) => async () => {
    expect(++running).toBe(1);
    await new Promise(setImmediate);
    running--;
    done.push(name);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const results = await Promise.allSettled([
    line.run(task('a'), false),
    line.run(task('b'), false),
    line.run(task('c'), false),
    line.run(task('D'), true),
    line.run(task('E'), true),
  ]);
  expect(done).toEqual(['a', 'D', 'E', 'b', 'c']);
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
    ...['a', 'failed', 'c', 'D', 'E'],
  ]);
  expect(await line.run(task('f'), false)).toBe('f');
});

test('a task that throws at once is a failed one', async () => {
  const line = new TurnLine();
  const throws = async (): Promise<void> => {
    throw new Error('at once');
  };
  await expect(line.run(throws, true)).rejects.toThrow('at once');
  await expect(line.run(() => Promise.resolve(1), false)).resolves.toBe(1);
});
