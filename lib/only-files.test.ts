import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultOfTry, isProgram, onlyFiles, onlyFilesFailure, onlyFilesFault } from './only-files';

/** No try is given up for the load of the machine. */
const longMs = 60_000;
const env = { PATH: process.env['PATH'] };
const run = (...args: string[]) => spawnSync(onlyFiles, args, { encoding: 'utf8' });
const whenBuilt = isProgram(onlyFiles) ? test : test.skip;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-program-'));
  file = join(folder, 'only-files');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('what has no mode of a program is none, and neither is a folder: no engine is started through it', () => {
  expect(isProgram(file)).toBe(false);
  writeFileSync(file, '', { mode: 0o644 });
  expect([isProgram(file), isProgram(folder)]).toEqual([false, false]);
  const fault = 'build/native/only-files is not there, or no program';
  expect([onlyFilesFault(file, env), onlyFilesFault(folder, env)]).toEqual([fault, fault]);
  chmodSync(file, 0o755);
  expect(isProgram(file)).toBe(true);
});

/** Of an ELF file: the low byte of `e_machine`; 183 is AArch64, and here is x86-64. */
const machineAt = 18;
const otherMachine = 183;

function ofAnotherMachine(program: Buffer): Buffer {
  const other = Buffer.from(program);
  other[machineAt] = otherMachine;
  return other;
}

const withoutItsLibrary = (program: Buffer): Buffer =>
  Buffer.from(program.toString('latin1').replace('libc.so.6', 'libq.so.6'), 'latin1');

whenBuilt.each([
  ['of another machine', ofAnotherMachine, / does not run \(.+\)$/],
  ['without its library', withoutItsLibrary, / \(it ended with 127: .*libq\.so\.6.*\)$/],
  // Taken for a script of a shell, which does nothing, and that well.
  ['empty', () => Buffer.alloc(0), / \(it ended with 0\)$/],
  ['cut', (program: Buffer) => program.subarray(0, 4096), / does not run \(.+\)$/],
  ['that runs another interpreter', () => Buffer.from('#!/not/there\n'), / \(ENOENT\)$/],
  [
    'that knows not all of the words',
    () => Buffer.from('#!/bin/sh\necho usage >&2\nexit 2\n'),
    /2: usage\)$/,
  ],
  ['that says a lot', () => Buffer.from('#!/bin/sh\nprintf %01000d 1 >&2\nexit 1\n'), /: 0{200}\)$/],
  ['that is killed', () => Buffer.from('#!/bin/sh\nkill -9 $$\n'), / \(it ended with SIGKILL\)$/],
] as [string, (program: Buffer) => Buffer, RegExp][])(
  'a launcher %s starts no engine, and it is told why',
  (_, spoilt, words) => {
    writeFileSync(file, spoilt(readFileSync(onlyFiles)), { mode: 0o755 });
    const fault = onlyFilesFault(file, env, longMs)!;
    expect(fault).toMatch(/^build\/native\/only-files does not run \(/);
    expect(fault).toMatch(words);
  },
);

whenBuilt('the one that was built has no fault', () => {
  expect(onlyFilesFault(onlyFiles, env, longMs)).toBeNull();
  expect(onlyFilesFault(onlyFiles, {}, longMs)).toBeNull();
});

test.each(['ETIMEDOUT', 'EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ETXTBSY'])(
  'a try that %s hindered is no fault of the launcher',
  (code) => {
    const error = Object.assign(new Error(`spawnSync ${code}`), { code });
    expect(faultOfTry({ error, signal: null, status: null, stderr: '' })).toBeNull();
  },
);

test('neither is one that takes too long: it is given up, and the engine is started through it', () => {
  writeFileSync(file, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  expect(onlyFilesFault(file, env, 50)).toBeNull();
});

whenBuilt.each([
  [[], 'only-files ['],
  [['--'], 'only-files ['],
  [['--read', '/usr'], 'only-files ['],
  [['--read', '--', 'true'], 'only-files ['],
  [['--all', '/', '--', 'true'], 'only-files ['],
])('it refuses %j with its usage', (args, words) => {
  const { status, stderr } = run(...args);
  expect(status).toBe(2);
  expect(stderr).toContain(words);
});

const programs = ['/usr', '/lib', '/lib64', '/bin', '/etc/ld.so.cache'].flatMap((path) => ['--read', path]);

whenBuilt('it tells why a program does not run, and ends as that one does where it does', () => {
  const missing = run('--', '/not/there');
  expect([missing.status, missing.stderr]).toEqual([
    127,
    'only-files: /not/there: No such file or directory\n',
  ]);
  expect(run(...programs, '--', 'sh', '-c', 'exit 7').status).toBe(7);
});

/** The kernel takes 16 sets of rules over each other, and refuses the next with E2BIG. */
const mostLayers = 16;

whenBuilt(
  'where the kernel refuses, it says so to what it starts, and where it closed files, nothing',
  () => {
    const shows = ['sh', '-c', `printf %s "$${onlyFilesFailure}"`];
    const through = (layers: number) => {
      const each = [onlyFiles, '--read', '/', '--write', '/', '--'];
      const [program, ...args] = [...Array<string[]>(layers).fill(each).flat(), ...shows];
      const all = { ...process.env, [onlyFilesFailure]: 'of another time' };
      return spawnSync(program!, args, { encoding: 'utf8', env: all }).stdout;
    };
    expect(through(1)).toBe('');
    const hasLandlock = run('--list', '/', '--', 'ls', '/').status !== 0;
    expect(through(mostLayers + 1)).toBe(hasLandlock ? 'Argument list too long' : '');
  },
);
