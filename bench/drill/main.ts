import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { codeVersion } from '#lib/code-version';
import { runCommand } from '#lib/command-line';
import { projectPath } from '#schemas/project-root';
import { startAlertWatch } from './alerts/prometheus-watch';
import { quietRuns } from './alerts/quiet-runs';
import { parseOptions, usage, type DrillOptions } from './options';
import { runDrills } from './run';
import { faultMatrix, type RunFacts } from './table';

const note = (text: string): void => void process.stderr.write(`${text}\n`);

function factsOf(options: DrillOptions): RunFacts {
  const cores = cpus();
  const quick = options.scale === 'quick' ? ' -- --quick' : '';
  return {
    at: new Date().toISOString().slice(0, 10),
    machine: `${cores.length} cores of ${cores[0]?.model.trim() ?? 'unknown'}`,
    commit: codeVersion().commit?.slice(0, 12) ?? 'no commit',
    command: `npm run drill${quick}`,
  };
}

/** Resolves to the exit code. */
async function drill(options: DrillOptions): Promise<number> {
  if (options.list) {
    for (const { name, row, fault } of options.drills)
      console.log(`${name.padEnd(28)} ${row.padEnd(16)} ${fault}`);
    return 0;
  }
  const watch = async (stand: Parameters<typeof startAlertWatch>[0]) =>
    options.alerts ? startAlertWatch(stand, note) : null;
  const quiet = options.quietRuns === 0 ? null : await quietRuns(options.quietRuns, watch, note);
  const results = await runDrills(options.drills, { ...options, note, watch, seesConsole: true });
  const facts = factsOf(options);
  if (options.write) writeFileSync(projectPath('docs', 'fault-matrix.md'), faultMatrix(results, facts));
  const failed = results.filter(({ passed }) => !passed).map(({ name }) => name);
  console.log(JSON.stringify({ ...facts, drills: results.length, failed, quiet, results }));
  return failed.length === 0 && (quiet?.alerts.length ?? 0) === 0 ? 0 : 1;
}

void runCommand({ usage, parse: parseOptions, run: drill });
