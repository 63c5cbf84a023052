import { outcomeOf } from '../../../scripts/test/native-tests.mjs';
import { addTallies, readTally, tallyLine } from '../../../scripts/test/part.mjs';
import { asTyped, programPath, runShown } from './programs.mjs';
import { writeResult } from './results.mjs';
import { testPrograms } from './tests.mjs';

const ownExitCode = 97;
const tools = {
  memcheck: ['--leak-check', 'full'],
  racecheck: [],
  initcheck: [],
};

/** Each GPU test under each of the tools of compute-sanitizer: any report of it fails the test. */
export async function runSanitizers(machine, { names, flags, limitMs, tools: wanted }) {
  const runs = [];
  const chosen = chosenTools(wanted);
  for (const name of names.length > 0 ? names : testPrograms(machine)) {
    for (const tool of chosen) {
      console.log(`\n== ${tool} ${name}`);
      runs.push(await runTool(machine, tool, name, flags, limitMs));
    }
  }
  const all = addTallies(runs.map((run) => run.outcome));
  writeResult(machine, 'sanitizers', 'node test/gpu/run.mjs sanitize', { runs, ...all });
  for (const { command, said } of runs) console.log(`${said}  ${command}`);
  console.log(`\n${tallyLine(all)}`);
  return all.failed === 0 && all.passed > 0;
}

/** All of them without a list. Throws with what there is. */
export function chosenTools(list) {
  const all = Object.keys(tools);
  const names = list ? list.split(',') : all;
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`--tools takes some of ${all.join(', ')}, not ${unknown.join(', ')}`);
  return names;
}

async function runTool(machine, tool, name, flags, limitMs) {
  const program = programPath(machine, 'tests', `${name}_gpu_test`);
  const args = ['--tool', tool, ...tools[tool], `--error-exitcode=${ownExitCode}`, program, ...flags];
  const { cwd, env } = { cwd: machine.root, env: machine.env };
  const result = await runShown('compute-sanitizer', args, { cwd, env, limitMs });
  const said = /^=+ (ERROR|RACECHECK) SUMMARY: .*$/m.exec(result.output)?.[0] ?? result.reason;
  const outcome = outcomeOf(result.ok, readTally(result.output));
  return {
    command: asTyped(machine.root, 'compute-sanitizer', args),
    seconds: result.seconds,
    said,
    outcome,
  };
}
