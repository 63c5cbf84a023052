import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd, tally } from './part.mjs';

/** One project of jest.config.js; the count comes from jest's JSON result. */
export async function runJestProject(root, project, { inBand, limitMs, env }) {
  const results = join(root, 'build', 'test-results', `${project}.json`);
  mkdirSync(join(root, 'build', 'test-results'), { recursive: true });
  rmSync(results, { force: true });
  const args = [
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--selectProjects',
    project,
    '--passWithNoTests',
    '--json',
    `--outputFile=${results}`,
    ...(inBand ? ['--runInBand'] : []),
  ];
  const { ok, reason } = await runToEnd(process.execPath, args, { cwd: root, limitMs, show: true, env });
  const counted = readResults(results);
  if (!ok && counted.failed === 0) {
    console.log(`jest ${project} ended with ${reason}`);
    return tally(counted.passed, 1, counted.skipped);
  }
  return counted;
}

/** A test file that didn't run counts as one failure. */
export function readResults(file) {
  try {
    const json = JSON.parse(readFileSync(file, 'utf8'));
    return tally(
      json.numPassedTests,
      json.numFailedTests + json.numRuntimeErrorTestSuites,
      json.numPendingTests + json.numTodoTests,
    );
  } catch {
    return tally();
  }
}
