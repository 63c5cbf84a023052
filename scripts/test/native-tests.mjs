import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addTallies, readTally, runToEnd, tally, tallyLine } from './part.mjs';

/**
 * The C++ test programs. Each counts as one test, since the tally in its last line counts single checks
 * (thousands of random problems); a program that only skipped counts as skipped.
 */
export async function runNativeTests(root) {
  const folder = join(root, 'build', 'native', 'tests');
  const programs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('_test')) : [];
  const tallies = [];
  for (const name of programs.sort()) tallies.push(await runProgram(join(folder, name), { name, root }));
  return addTallies(tallies);
}

/** `judge`: is the output that of a good run? */
export async function runProgram(program, { name, root, env = process.env, judge = () => true }) {
  const result = await runToEnd(program, [], { cwd: root, limitMs: 600_000, show: false, env });
  const checks = readTally(result.output);
  const outcome = outcomeOf(result.ok && judge(result.output), checks);
  const word = outcome.failed > 0 ? 'FAILED' : 'ok    ';
  console.log(`${word} ${name}: ${checks === null ? 'no tally' : `checks: ${tallyLine(checks)}`}`);
  if (outcome.failed > 0) console.log(`${result.output.trimEnd()}\n${name} ended with ${result.reason}`);
  return outcome;
}

/** A program that doesn't say what it checked has failed, whatever its exit status. */
export function outcomeOf(ok, checks) {
  if (!ok || checks === null || checks.failed > 0) return tally(0, 1);
  return checks.passed > 0 ? tally(1) : tally(0, 0, 1);
}
