#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../setup/places.mjs';

/**
 * What no tracked file may hold: hosts of package registries (the clients know theirs), paths of somebody's
 * machine, and marks of work left undone. Written in parts, so that this file passes its own check.
 */
const forbidden = [
  [new RegExp(['registry', 'npmjs'].join('\\.')), 'the host of a package registry'],
  [new RegExp(['pypi', 'org'].join('\\.')), 'the host of a package registry'],
  [new RegExp(['files', 'pythonhosted'].join('\\.')), 'the host of a package registry'],
  [new RegExp(['repo1?', 'maven'].join('\\.')), 'the host of a package registry'],
  [
    new RegExp(`(?<![\\w.])/(${['work', 'root', 'home'].join('|')})/[\\w.-]`),
    'an absolute path of a machine',
  ],
  [new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME'].join('|')})\\b`), 'a mark of work left undone'],
];

const exempt = /^(LICENSE|package-lock\.json)$|\.(onnx|png|svg|bin)$/;

/** Faults of one file's text: line number and what stands there. */
export function faultsOf(text) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      forbidden
        .filter(([pattern]) => pattern.test(line))
        .map(([, what]) => `${index + 1}: ${what}: ${line.trim().slice(0, 120)}`),
    );
}

function trackedFiles() {
  const list = execFileSync('git', ['ls-files', '-z'], { cwd: projectRoot, encoding: 'utf8' });
  return list.split('\0').filter((name) => name !== '' && !exempt.test(name));
}

function readOrEmpty(name) {
  try {
    return readFileSync(join(projectRoot, name), 'utf8');
  } catch {
    return '';
  }
}

function main() {
  const faults = trackedFiles().flatMap((name) =>
    faultsOf(readOrEmpty(name)).map((fault) => `${name}:${fault}`),
  );
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
