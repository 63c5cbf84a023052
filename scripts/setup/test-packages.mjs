import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { orSayWhy } from './or-say-why.mjs';
import { pipEnvironmentHere } from './pip-environment.mjs';
import { hashFiles, isStamped, writeStamp } from './stamp.mjs';

/** Nothing is built from source: a Python without wheels of these packages is told at once. */
const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];

/**
 * The Python of the tests with tritonclient and of models in Python: an environment of its own. Where it can't be
 * made, `.roundhouse/venv-missing.txt` says why, and these tests are skipped with the reason.
 */
export function testPackages(places) {
  const requirements = join(places.root, 'test', 'python', 'requirements.txt');
  const folder = join(places.state, 'venv');
  const inputs = () => hashFiles(places.root, [requirements]);
  return {
    name: 'Python packages for tests',
    tools: ['python'],
    needs: [],
    isDone: () => !existsSync(requirements) || isStamped(folder, inputs()),
    run: () =>
      orSayWhy(places, 'venv', async () => {
        await makeEnvironment(folder, requirements, places.logs);
        writeStamp(folder, inputs());
      }),
  };
}

async function makeEnvironment(folder, requirements, logs) {
  const log = join(logs, 'setup-test-packages.log');
  rmSync(folder, { recursive: true, force: true });
  // Without ensurepip (Debian's python3-venv) this fails, and says so.
  await runLogged('python3', ['-m', 'venv', folder], { log });
  const flags = [...install, '--require-hashes', '-r', requirements];
  await runLogged(join(folder, 'bin', 'python'), flags, { log, env: pipEnvironmentHere() });
}
