import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Pipeline } from '#launcher/pipeline';
import { pidsOf } from '../pipeline/probes';
import { cpuSeconds } from '../pipeline/process-usage';
import { round } from '../pipeline/statistics';
import type { Usage } from './step';

const ticksPerSecond = 100;

/** Seconds of all processors that were not idle; what a hypervisor took counts as busy. */
function machineSeconds(): number {
  const [, ...fields] = readFileSync('/proc/stat', 'latin1').split('\n')[0]!.trim().split(/\s+/);
  const ticks = fields.map(Number);
  const idle = ticks[3]! + ticks[4]!;
  // Guests' time is in that of users already.
  return (ticks.slice(0, 8).reduce((sum, one) => sum + one, 0) - idle) / ticksPerSecond;
}

function readings(pipeline: Pipeline): Map<string, number> {
  const pids = new Map([...pidsOf(pipeline), ['load', process.pid] as const]);
  return new Map([...pids].map(([name, pid]) => [name, cpuSeconds(pid)]));
}

/** Call the function returned at the end of the time that is measured. */
export function measureUsage(pipeline: Pipeline): () => Usage {
  const [from, machine, before] = [performance.now(), machineSeconds(), readings(pipeline)];
  return () => {
    const seconds = (performance.now() - from) / 1_000;
    const used = [...readings(pipeline)].map(([name, now]) => [
      name,
      round((now - (before.get(name) ?? 0)) / seconds, 3),
    ]);
    return {
      cores: cpus().length,
      machineCores: round((machineSeconds() - machine) / seconds, 3),
      byProcess: Object.fromEntries(used) as Record<string, number>,
    };
  };
}
