import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged, SetUpError } from './command.mjs';
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
  const reason = join(places.state, 'venv-missing.txt');
  const inputs = () => hashFiles(places.root, [requirements]);
  return {
    name: 'Python packages for tests',
    tools: ['python'],
    needs: [],
    isDone: () => !existsSync(requirements) || isStamped(folder, inputs()),
    run: async () => {
      rmSync(reason, { force: true });
      try {
        await makeEnvironment(folder, requirements, places.logs);
        writeStamp(folder, inputs());
      } catch (error) {
        if (!(error instanceof SetUpError)) throw error;
        writeFileSync(reason, error.message);
      }
    },
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
