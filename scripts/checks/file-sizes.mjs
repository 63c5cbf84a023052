#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import { readOrEmpty, trackedFiles } from './git-files.mjs';

/** A source file has so many lines at most, tests too: what is longer has several subjects. */
const mostLines = 300;
const isSource = (name) =>
  /\.(ts|mts|js|mjs|cjs|c|cpp|hpp|cu|cuh|h|py|sh|cmake)$|CMakeLists\.txt$/.test(name);

/** `name: N lines` of the files above the limit, the longest first. `linesOf` says how many a file has. */
export function tooLong(names, linesOf) {
  return names
    .filter(isSource)
    .map((name) => ({ name, lines: linesOf(name) }))
    .filter(({ lines }) => lines > mostLines)
    .sort((a, b) => b.lines - a.lines)
    .map(({ name, lines }) => `${name}: ${lines} lines, ${mostLines} are the most`);
}

function main() {
  const faults = tooLong(trackedFiles(), (name) => readOrEmpty(name).split('\n').length - 1);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
