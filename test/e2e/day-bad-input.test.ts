import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LauncherProcess } from './launcher-process';
import { mdrpFiles as files } from '../support/mdrp-files';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bad-day-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Bad input is found before anything is started. */
async function outcomeOf(args: string[]) {
  const launcher = new LauncherProcess(args);
  const { code } = await launcher.ended;
  expect(launcher.output).not.toContain('starting');
  return { code, output: launcher.output };
}

test.each([
  [['--mrdp', 'x'], '--mrdp'],
  [['--f', '0'], '--f is 0: a whole number from 1 to 60'],
  [['--serve', '--mdrp', 'x'], '--mdrp has no meaning with --serve'],
  [['--mdrp', 'nowhere'], 'MDRP_INVALID: nowhere: there is no such folder'],
])('%j: exit code 2 and a reason', async (args, reason) => {
  const { code, output } = await outcomeOf(args);
  expect(code).toBe(2);
  expect(output).toContain(reason);
});

test.each([
  ['orders.txt', 'r1\t25', 'r9\t25', 'orders.txt:2: restaurant r9'],
  ['orders.txt', '\t25', '\t9', 'orders.txt:2: ready_time 9'],
  ['couriers.txt', '\t120', '\tlate', 'couriers.txt:2: off_time = late'],
  ['restaurants.txt', 'restaurant\tx', 'place\tx', 'restaurants.txt:1'],
  ['instance_parameters.txt', '320\t4', '320\t5', 'instance_parameters.txt:2: pickup service minutes 5'],
])('%s with a wrong line: file, line and reason', async (file, from, to, reason) => {
  writeFileSync(join(folder, file), files[file as keyof typeof files].replace(from, to));
  const { code, output } = await outcomeOf(['--mdrp', folder]);
  expect(code).toBe(2);
  expect(output).toContain('MDRP_INVALID');
  expect(output).toContain(reason);
});

test('a folder with a file missing', async () => {
  rmSync(join(folder, 'couriers.txt'));
  const { code, output } = await outcomeOf(['--mdrp', folder]);
  expect(code).toBe(2);
  expect(output).toContain('couriers.txt: ENOENT; expected a readable text file');
});

test('an output folder that can not be made', async () => {
  const file = join(folder, 'file');
  cpSync(join(folder, 'orders.txt'), file);
  const { code, output } = await outcomeOf(['--mdrp', folder, '--out', join(file, 'out')]);
  expect(code).toBe(2);
  expect(output).toContain('--out');
});

// Node's recursive mkdir never returned there, and no signal was heard.
test('an output folder in a file system where none can be made', async () => {
  const { code, output } = await outcomeOf(['--mdrp', folder, '--out', '/proc/nope']);
  expect(code).toBe(2);
  expect(output).toContain("--out /proc/nope: can't be written (ENOENT)");
});
