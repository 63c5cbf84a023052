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

/** Each GPU test under each tool of compute-sanitizer: any report of it fails the test. */
export async function runSanitizers(machine, { names, flags, limitMs }) {
  const runs = [];
  for (const name of names.length > 0 ? names : testPrograms(machine)) {
    for (const tool of Object.keys(tools)) {
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
