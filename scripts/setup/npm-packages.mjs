import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './command.mjs';

/** What a user's own npm settings may not change: they come before .npmrc, a flag before them. */
const flags = [
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--global=false',
  '--package-lock=true',
  '--dry-run=false',
  '--no-audit',
  '--no-fund',
];

/** Compares versions, not times: right after `npm install` by hand too. */
export function npmPackages(places) {
  return {
    name: 'npm packages',
    needs: [],
    isDone: () => packagesMatch(places.root),
    run: () =>
      runLogged('npm', ['ci', ...flags], { cwd: places.root, log: join(places.logs, 'setup-npm.log') }),
  };
}

export function packagesMatch(root) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === null || installed === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? entry.optional === true : found.version === entry.version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return null;
  }
}
