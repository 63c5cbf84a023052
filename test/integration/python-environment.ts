import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectPath } from '#schemas/project-root';

const environment = projectPath('.roundhouse/venv');
const lock = `${environment}.lock`;
const requirements = projectPath('test/python/requirements.txt');

/** The interpreter of an environment with the packages of test/python/requirements.txt. */
export const python = join(environment, 'bin', 'python');

const staleMs = 300_000;

/** Test files run side by side; one of them makes the environment. */
function takeLock(): void {
  mkdirSync(dirname(lock), { recursive: true });
  for (;;) {
    try {
      return mkdirSync(lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Date.now() - since > staleMs) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

function isSetUp(): boolean {
  const stamp = join(environment, '.requirements');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(requirements, 'utf8');
}

/** Nothing is built from source: a Python without wheels of these packages is told at once. */
const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];

function make(): string | null {
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', environment]],
    [python, [...install, '-r', requirements]],
  ];
  for (const [program, parameters] of steps) {
    const run = spawnSync(program, parameters, { encoding: 'utf8', timeout: 240_000 });
    // Without ensurepip (Debian's python3-venv), venv says so on its standard output.
    if (run.status !== 0)
      return `${program}: ${run.error?.message ?? (run.stderr || run.stdout).slice(-400)}`;
  }
  writeFileSync(join(environment, '.requirements'), readFileSync(requirements));
  return null;
}

/** null when the environment is there, else why it can't be made. */
export function setUpPython(): string | null {
  if (isSetUp()) return null;
  takeLock();
  try {
    return isSetUp() ? null : make();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
