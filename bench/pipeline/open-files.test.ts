import { closeSync, openSync, realpathSync } from 'node:fs';
import { openFiles } from './open-files';

test('an open file is among them until it is closed', () => {
  const file = realpathSync(__filename);
  const fd = openSync(file, 'r');
  expect(openFiles(process.pid)).toContain(file);
  closeSync(fd);
  expect(openFiles(process.pid)).not.toContain(file);
});

test('a process that is none is an error', () => {
  expect(() => openFiles(2 ** 30)).toThrow(/ENOENT/);
});
