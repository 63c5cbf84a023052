#!/usr/bin/env node
import { isHelp } from './run-built.mjs';
import { SetUpError } from './setup/command.mjs';
import { setUp } from './setup/index.mjs';
import { testSteps } from './setup/needed-steps.mjs';
import { projectRoot } from './setup/places.mjs';
import { runChecks } from './test/checks.mjs';
import { runCuda } from './test/cuda.mjs';
import { runJestProject } from './test/jest-project.mjs';
import { runNativeTests } from './test/native-tests.mjs';
import { runScriptTests } from './test/script-tests.mjs';
import { addTallies, tally, tallyLine } from './test/part.mjs';
import { runSanitizers, skipSanitizers } from './test/sanitizers.mjs';

const minute = 60_000;

/**
 * `npm test [-- PART…]`: set-up, then the parts; the last line adds them up. `--full` (npm run test:full)
 * sets TEST_FULL=1, by which tests run their long versions.
 */
function partsOf(full, named) {
  const env = { ...process.env, ...(full ? { TEST_FULL: '1' } : {}) };
  const limitMs = (full ? 60 : 30) * minute;
  return {
    checks: () => runChecks(projectRoot),
    scripts: () => runScriptTests(projectRoot),
    native: () => runNativeTests(projectRoot),
    sanitizers: () => (full || named.includes('sanitizers') ? runSanitizers(projectRoot) : skipSanitizers()),
    cuda: () => runCuda(projectRoot, { full }),
    unit: () => runJestProject(projectRoot, 'unit', { inBand: false, limitMs, env }),
    integration: () => runJestProject(projectRoot, 'integration', { inBand: true, limitMs, env }),
    crash: () => runJestProject(projectRoot, 'crash', { inBand: true, limitMs, env }),
  };
}

async function main(args) {
  const named = args.filter((arg) => arg !== '--full');
  const parts = partsOf(args.includes('--full'), named);
  if (args.some(isHelp)) {
    console.log(
      `npm test [-- PART…], npm run test:full [-- PART…]\n  The parts are ${Object.keys(parts).join(', ')}.`,
    );
    return 0;
  }
  const unknown = named.filter((name) => !(name in parts));
  if (unknown.length > 0) {
    console.error(`no part ${unknown.join(', ')}; the parts are ${Object.keys(parts).join(', ')}`);
    return 2;
  }
  const count = await setUp({ only: testSteps(named) });
  if (count > 0) console.error('');
  const tallies = new Map();
  for (const name of named.length > 0 ? named : Object.keys(parts)) {
    console.log(`\n== ${name}`);
    const from = Date.now();
    tallies.set(name, { tally: await parts[name](), seconds: Math.round((Date.now() - from) / 1000) });
  }
  return summarise(tallies) ? 0 : 1;
}

function summarise(tallies) {
  console.log('\n== summary');
  for (const [name, { tally: one, seconds }] of tallies) {
    console.log(`${name.padEnd(12)} ${tallyLine(one)} (${seconds} s)`);
  }
  const sum = addTallies([...tallies.values()].map((entry) => entry.tally));
  console.log(`\n${tallyLine(sum)}`);
  return sum.failed === 0 && sum.passed > 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetUpError ? `\nset-up failed: ${error.message}` : error);
  console.log(`\n${tallyLine(tally(0, 1))}`);
  process.exitCode = 1;
}
