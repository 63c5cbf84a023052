import { spawn } from 'node:child_process';
import { parseStat, processorMs } from './processor-time';

test('group and times of a process, whatever its name is', () => {
  const rest = 'S 1 77 77 0 -1 4194560 100 0 0 0 250 50 7 8 20 0 1 0 100 0 0';
  // (250 + 50) ticks of 10 ms; those of ended children, 7 and 8, are not its own.
  expect(parseStat(`42 (a) b (c) ${rest}`)).toEqual({ group: 77, ms: 3_000 });
  expect(parseStat('42 (a)')).toBeNull();
  expect(parseStat('')).toBeNull();
});

test('the processes of a group count together, others not', async () => {
  const spin = 'for (const end = Date.now() + 60_000; Date.now() < end;);';
  const child = spawn(process.execPath, ['-e', spin], { detached: true, stdio: 'ignore' });
  while (processorMs(child.pid!) < 100) await new Promise((resolve) => setTimeout(resolve, 20));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
  expect(processorMs(child.pid!)).toBe(0);
}, 30_000);
