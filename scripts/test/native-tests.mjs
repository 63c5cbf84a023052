import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addTallies, readTally, runToEnd, tally, tallyLine } from './part.mjs';

/** The C++ test programs; the last line of each is its tally. */
export async function runNativeTests(root) {
  const folder = join(root, 'build', 'native', 'tests');
  const programs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('_test')) : [];
  const tallies = [];
  for (const name of programs.sort()) tallies.push(await runOne(join(folder, name), name, root));
  return addTallies(tallies);
}

async function runOne(program, name, root) {
  const result = await runToEnd(program, [], { cwd: root, limitMs: 600_000, show: false });
  const counted = readTally(result.output) ?? tally();
  const lost = !result.ok && counted.failed === 0;
  const outcome = lost ? addTallies([counted, tally(0, 1)]) : counted;
  console.log(`${outcome.failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${tallyLine(outcome)}`);
  if (outcome.failed > 0) console.log(`${result.output.trimEnd()}\n${name} ended with ${result.reason}`);
  return outcome;
}
