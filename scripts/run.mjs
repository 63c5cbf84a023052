#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isHelp, runBuilt } from './run-built.mjs';
import { productSteps } from './setup/index.mjs';
import { benchSteps, codeSteps, drillSteps, nativeSteps, replaySteps } from './setup/needed-steps.mjs';
import { projectRoot } from './setup/places.mjs';

/** node scripts/run.mjs NAME [ARGUMENTS]: what `npm run NAME` runs, after setting up what is missing. */
const programs = {
  solve: (args) => ['dist/native/planner/solve-main.js', args, nativeSteps],
  'api-keys': (args) => ['dist/launcher/api-keys/main.js', args, codeSteps],
  'dead-letters': (args) => ['dist/launcher/dead-letters.js', args, codeSteps],
  replay: (args) => ['dist/services/replay/main.js', args, replaySteps(args)],
  trace: (args) => ['dist/launcher/trace/main.js', args, codeSteps],
  models: (args) => ['dist/launcher/models/main.js', args, nativeSteps],
  'serve-models': (args) => ['dist/services/inference-worker/serve-models/main.js', args, nativeSteps],
  drill: (args) => ['dist/bench/drill/main.js', args, drillSteps(args)],
  soak: (args) => ['dist/bench/soak/main.js', args, productSteps],
  bench: ([name, ...args]) => [benchEntry(name), args, benchSteps(name, args)],
};
const usage = `usage: node scripts/run.mjs ${Object.keys(programs).join('|')} …`;

function benchEntry(name) {
  const names = existsSync(join(projectRoot, 'bench')) ? benchNames() : [];
  if (names.includes(name)) return `dist/bench/${name}/main.js`;
  const benches = `npm run --silent bench -- NAME [FLAGS], where NAME is one of ${names.join(', ')}; NAME --help says more`;
  return isHelp(name) ? tell(benches) : fail(name === undefined ? benches : `no bench ${name}\n${benches}`);
}

function benchNames() {
  return readdirSync(join(projectRoot, 'bench')).filter((name) =>
    existsSync(join(projectRoot, 'bench', name, 'main.ts')),
  );
}

function tell(message) {
  console.log(message);
  process.exit(0);
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

const [name, ...args] = process.argv.slice(2);
const program =
  programs[name] ??
  (isHelp(name) ? tell(usage) : fail(name === undefined ? usage : `no program ${name}\n${usage}`));
await runBuilt(...program(args));
