#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../setup/places.mjs';

/** Licences that ask for no more than to be named. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
];
/** What is used to build and to test is not given away: a licence of files or of data does no harm. */
const ofTools = [...permissive, 'CC-BY-4.0', 'MPL-2.0'];
/** Packages that name none in their package.json, and where it stands. */
const known = { 'com.github.asus4.onnxruntime': 'MIT' };

const innermost = /\(([^()]*)\)/;

/** Whether an SPDX expression leaves a choice in which all parts are allowed. */
export function isAllowed(expression, allowed) {
  const [brackets, inner] = innermost.exec(expression) ?? [];
  if (brackets !== undefined) {
    const judged = isAllowed(inner, allowed) ? allowed[0] : 'refused';
    return isAllowed(expression.replace(brackets, judged), allowed);
  }
  return expression
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => allowed.includes(part.trim())));
}

/** `package: licence` of those in a lock file that may not be used. */
export function licenceFaults({ packages }) {
  return Object.entries(packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .flatMap(([path, { license, dev }]) => {
      const name = path.replace(/^.*node_modules\//, '');
      const named = license ?? known[name] ?? 'none named';
      return isAllowed(named, dev ? ofTools : permissive)
        ? []
        : [`${name}: ${named}${dev ? ' (of a tool)' : ''}`];
    });
}

function main() {
  const faults = licenceFaults(JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
