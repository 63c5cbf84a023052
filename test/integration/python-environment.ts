import { existsSync, readFileSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';

const environment = projectPath('.roundhouse', 'venv');
const reason = projectPath('.roundhouse', 'venv-missing.txt');

/** The interpreter of an environment with the packages of test/python/requirements.txt. */
export const python = projectPath('.roundhouse', 'venv', 'bin', 'python');

/** null when set-up (scripts/setup/test-packages.mjs) has made the environment, else why it could not. */
export function whyNoPython(): string | null {
  if (existsSync(`${environment}/.set-up-from`)) return null;
  return existsSync(reason)
    ? readFileSync(reason, 'utf8').slice(-400)
    : 'npm run setup -- test-packages makes it';
}
