import { addTallies, readTally, tally, tallyLine } from '../../../scripts/test/part.mjs';
import { outcomeOf } from '../../../scripts/test/native-tests.mjs';
import { asTyped, programPath, programsIn, runShown } from './programs.mjs';
import { scenarioNames, runScenario } from './scenarios.mjs';
import { writeResult } from './results.mjs';

const ending = '_gpu_test';

/** The C++ programs of the build, by their names without the ending. */
export function testPrograms({ build }) {
  return programsIn(`${build}/tests`, ending).map((file) => file.slice(0, -ending.length));
}

/** Each program and each scenario counts as one test, as in the native part of `npm test`. */
export async function runTests(machine, { names, flags, limitMs }) {
  const programs = testPrograms(machine);
  const known = [...programs, ...scenarioNames];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no test ${unknown.join(', ')}; there are ${known.join(', ')}`);
  const tests = [];
  for (const name of names.length > 0 ? names : known) {
    console.log(`\n== ${name}`);
    const run = programs.includes(name) ? runProgram : runScenario;
    tests.push({ name, ...(await run(machine, name, flags, limitMs)) });
  }
  const all = addTallies(tests.map((test) => test.outcome));
  writeResult(machine, 'tests', 'node test/gpu/run.mjs test', { tests, ...all });
  console.log('\n== summary');
  for (const { name, outcome, checks } of tests) {
    console.log(`${wordOf(outcome)} ${name}${checks === null ? '' : `: checks: ${tallyLine(checks)}`}`);
  }
  console.log(`\n${tallyLine(all)}`);
  return all.failed === 0 && all.passed > 0;
}

function wordOf({ failed, passed }) {
  if (failed > 0) return 'FAILED ';
  return passed > 0 ? 'ok     ' : 'skipped';
}

async function runProgram(machine, name, flags, limitMs) {
  const program = programPath(machine, 'tests', name + ending);
  const result = await runShown(program, flags, { cwd: machine.root, env: machine.env, limitMs });
  const checks = readTally(result.output);
  const outcome = checks === null && result.ok ? tally(0, 1) : outcomeOf(result.ok, checks);
  if (outcome.failed > 0) console.log(`${name} ended with ${result.reason}`);
  const command = asTyped(machine.root, program, flags);
  return { command, seconds: result.seconds, checks, outcome, ended: result.reason };
}
