import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { coreFolder, filesOfEngine, hasOwnFilesOnly } from './engine-files';

const cpu = { ROUNDHOUSE_DEVICES: 'cpu' };

test('an engine without a GPU has its own files only, unless it is said otherwise', () => {
  expect(hasOwnFilesOnly(cpu)).toBe(true);
  expect(hasOwnFilesOnly({ ...cpu, ROUNDHOUSE_ENGINE_FILES: 'any' })).toBe(false);
  expect(hasOwnFilesOnly({ ROUNDHOUSE_DEVICES: '0', ROUNDHOUSE_ENGINE_FILES: 'own' })).toBe(true);
  expect(hasOwnFilesOnly({ ...cpu, ROUNDHOUSE_ENGINE_CONFINEMENT: 'off' })).toBe(false);
});

test('it writes into its own folder, and reads what it is told to; relative places begin at the project', () => {
  const { read, write } = filesOfEngine({
    ...cpu,
    ROUNDHOUSE_ENGINE_SOCKET: '/run/one/engine.sock',
    ROUNDHOUSE_MODELS_DIR: 'examples/kserve/models',
    ROUNDHOUSE_ONNXRUNTIME: '/opt/onnx.so',
    OPENSSL_CONF: '/opt/openssl.cnf',
    ROUNDHOUSE_ENGINE_READS: '/data/a:/data/b',
    ROUNDHOUSE_ENGINE_WRITES: '/data/c',
    PYTHONPATH: 'here:/data/packages',
  });
  const models = projectPath('examples/kserve/models');
  expect(read).toEqual(
    expect.arrayContaining([
      ...[
        models,
        '/opt/onnx.so',
        '/opt/openssl.cnf',
        '/data/a',
        '/data/b',
        '/data/packages',
        process.execPath,
      ],
    ]),
  );
  expect(read).not.toContain('here');
  expect(write).toEqual(expect.arrayContaining(['/run/one', '/dev/shm', '/data/c']));
});

test('neither the project as a whole, nor the home folder, nor /etc, /dev, /tmp or / are among them', () => {
  const { read, write } = filesOfEngine({ ...cpu, ROUNDHOUSE_ENGINE_SOCKET: '/run/one/engine.sock' });
  const closed = [
    projectPath(),
    process.env['HOME'],
    '/etc',
    '/etc/ssl',
    '/dev',
    '/tmp',
    '/var',
    '/run',
    '/',
  ];
  expect([...read, ...write].filter((path) => closed.includes(path))).toEqual([]);
});

test('of a virtual environment both are read: it, and the Python that it was made of; not all that lies beside', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-python-'));
  for (const name of ['made', 'base']) mkdirSync(join(folder, name, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'base', 'bin', 'python3'), '');
  symlinkSync(join(folder, 'base', 'bin', 'python3'), join(folder, 'made', 'bin', 'python3'));
  const { read } = filesOfEngine({ ...cpu, PATH: `/nowhere:${join(folder, 'made', 'bin')}` });
  for (const name of ['made', 'base']) {
    expect(read).toContain(join(folder, name, 'lib'));
    expect(read).not.toContain(join(folder, name));
  }
  rmSync(folder, { recursive: true });
});

const limits = (soft: string): string =>
  `Limit  Soft Limit  Hard Limit  Units\nMax core file size        ${soft}  unlimited  bytes\n`;

test.each([
  ['unlimited', '/var/cores/core.%p', ['/var/cores']],
  ['4096', '/var/cores/core', ['/var/cores']],
  ['0', '/var/cores/core.%p', []], // none are wanted
  ['unlimited', '|/usr/bin/keep %p', []], // a program takes them
  ['unlimited', 'core', []], // in the folder that the worker runs in
  ['unlimited', '/var/%e/core', []],
  ['unlimited', '/core.%p', []], // all that there is
])('cores of %s bytes at most by the pattern %s: %j', (soft, pattern, folders) => {
  expect(coreFolder(limits(soft), pattern)).toEqual(folders);
});
