#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runBuilt } from './run-built.mjs';
import { projectRoot } from './setup/places.mjs';

/** node scripts/run.mjs NAME [ARGUMENTS]: what `npm run NAME` runs, after setting up what is missing. */
const nativeSteps = ['npm', 'triton', 'typescript', 'native'];
const programs = {
  solve: (args) => ['dist/native/planner/solve-main.js', args, nativeSteps],
  'dead-letters': (args) => ['dist/launcher/dead-letters.js', args, ['npm', 'typescript']],
  models: (args) => ['dist/launcher/models/main.js', args, nativeSteps],
  bench: ([name, ...args]) => [benchEntry(name), args],
};

function benchEntry(name) {
  const names = existsSync(join(projectRoot, 'bench')) ? benchNames() : [];
  if (names.includes(name)) return `dist/bench/${name}/main.js`;
  return fail(`usage: npm run --silent bench -- NAME [FLAGS], where NAME is one of ${names.join(', ')}`);
}

function benchNames() {
  return readdirSync(join(projectRoot, 'bench')).filter((name) =>
    existsSync(join(projectRoot, 'bench', name, 'main.ts')),
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

const [name, ...args] = process.argv.slice(2);
const program = programs[name] ?? fail(`usage: node scripts/run.mjs ${Object.keys(programs).join('|')} …`);
await runBuilt(...program(args));
