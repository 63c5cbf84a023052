#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import { readOrEmpty, trackedFiles } from './git-files.mjs';

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

function main() {
  const names = trackedFiles().filter((name) => !exempt.test(name));
  const faults = names.flatMap((name) => faultsOf(readOrEmpty(name)).map((fault) => `${name}:${fault}`));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
