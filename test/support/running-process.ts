import type { RunningProcess } from '#launcher/pipeline';

/** A process of a pipeline by its name. Throws where there is none. */
export function processOf(
  pipeline: { processes(): readonly RunningProcess[] },
  name: string,
): RunningProcess {
  const found = pipeline.processes().find((process) => process.name === name);
  if (found === undefined) throw new Error(`no process ${name} in this pipeline`);
  return found;
}

/** Its process id. Throws where it isn't running. */
export function pidOf(pipeline: { processes(): readonly RunningProcess[] }, name: string): number {
  const { pid } = processOf(pipeline, name);
  if (pid === null) throw new Error(`${name} is not running`);
  return pid;
}
