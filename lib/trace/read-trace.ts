import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readTraceLine, type TracedPhase } from './traced-phase';

export interface Trace {
  /** By start. */
  readonly phases: readonly TracedPhase[];
  /** Lines that were not written, as the writer says. */
  readonly dropped: number;
}

/** Lines that the writer lost, or null for another line. */
function droppedLines(line: string): number | null {
  const found = /"event":"LogLinesDropped","lines":(\d+)/.exec(line);
  return found === null ? null : Number(found[1]);
}

function read(line: string, number: number): TracedPhase {
  try {
    return readTraceLine(line);
  } catch (error) {
    throw new Error(`line ${number}: ${(error as Error).message}`);
  }
}

/** Reads a trace; the last line may be cut, as that of a worker that was killed. Throws naming the file, and a line that can't be read. */
export async function readTrace(file: string): Promise<Trace> {
  try {
    return await readLines(file);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

async function readLines(file: string): Promise<Trace> {
  const phases: TracedPhase[] = [];
  let [number, dropped] = [0, 0];
  let held: string | null = null;
  const take = (line: string): void => {
    const lost = droppedLines(line);
    if (lost === null) phases.push(read(line, number));
    else dropped += lost;
  };
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (held !== null) take(held);
    number += 1;
    held = line.trim() === '' ? null : line;
  }
  if (held?.endsWith('}') === true) take(held);
  phases.sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  return { phases, dropped };
}
