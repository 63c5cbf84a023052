import { join } from 'node:path';
import { requireModelsFolder } from './models-folder';

test('a folder is one', () => {
  requireModelsFolder(__dirname);
});

test.each([
  [__filename, /ROUNDHOUSE_MODELS_DIR=.*: a folder/],
  [join(__dirname, 'none'), /ROUNDHOUSE_MODELS_DIR=.*: ENOENT/],
  [join(__filename, 'none'), /ROUNDHOUSE_MODELS_DIR=.*: ENOTDIR/],
])('%s is none', (path, words) => {
  const fault = { code: 'CONFIG_INVALID', message: expect.stringMatching(words) as string };
  expect(() => requireModelsFolder(path)).toThrow(expect.objectContaining(fault) as Error);
});
