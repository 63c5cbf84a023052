#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../setup/places.mjs';

const requireBuilt = createRequire(join(projectRoot, 'package.json'));
/** What the build stages make, below the root of the project. */
const made =
  /^(node_modules|dist|build\/native\/(\*\.node|only-files|backends)|\.roundhouse\/toolchain\/(triton|ucx))$/;

/** Instructions with their arguments; comments gone, continued lines joined. */
export function instructionsOf(text) {
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  return [...lines.matchAll(/^([A-Z]+)\s+(.*)$/gm)].map(([, name, rest]) => ({ name, rest: rest.trim() }));
}

/** One sentence for each fault: the user, what is copied from where, stages, settings, lists of packages left behind. */
export function dockerfileFaults(text, knownKeys, exists) {
  const instructions = instructionsOf(text);
  const stages = instructions.flatMap(({ name, rest }) =>
    name === 'FROM' ? [/\sAS\s+(\S+)/i.exec(rest)?.[1] ?? ''] : [],
  );
  return [
    ...userFaults(instructions),
    ...instructions
      .filter(({ name }) => name === 'COPY')
      .flatMap(({ rest }) => copyFaults(rest, stages, exists)),
    ...instructions
      .filter(({ name, rest }) => name === 'RUN' && rest.includes('apt-get update'))
      .filter(({ rest }) => !rest.includes('rm -rf /var/lib/apt/lists'))
      .map(() => 'apt-get update leaves its lists behind'),
    ...instructions
      .filter(({ name }) => name === 'ENV')
      .flatMap(({ rest }) => rest.match(/ROUNDHOUSE_\w+/g) ?? [])
      .filter((key) => !knownKeys.includes(key))
      .map((key) => `no process knows ${key}`),
  ];
}

function userFaults(instructions) {
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  const user = last.findLast(({ name }) => name === 'USER')?.rest ?? 'root';
  return /^[1-9]\d*:[1-9]\d*$/.test(user) ? [] : [`the last stage runs as ${user}, not as a number above 0`];
}

function copyFaults(rest, stages, exists) {
  const words = rest.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
  if (from !== undefined && !stages.includes(from)) return [`COPY from ${from}, which is no stage`];
  if (from !== undefined && from !== 'build') return [];
  return sources
    .map((path) => path.replace(/^\/roundhouse\//, ''))
    .filter((path) => !exists(path) && !made.test(path))
    .map((path) => `COPY of ${path}, which does not exist`);
}

if (process.argv[1]?.endsWith('dockerfiles.mjs')) {
  const { knownKeys } = requireBuilt('./dist/lib/config-keys.js');
  const exists = (path) => existsSync(join(projectRoot, path));
  for (const file of ['Dockerfile', 'Dockerfile.gpu']) {
    const faults = dockerfileFaults(readFileSync(join(projectRoot, file), 'utf8'), knownKeys, exists);
    for (const fault of faults) console.error(`${file}: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}
