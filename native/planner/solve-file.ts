import type { Readable } from 'node:stream';
import { MalformedProblem, parseProblem, type NumberedProblem } from './parse-problem';
import type { RoutePlanner } from './route-planner';
import type { RoutePlan } from './route-problem';
import { MAX_LINE_BYTES, readLines, type Line } from './solve-lines';

export interface SolveOutput {
  /** One answer, in the order of the input. Resolves when more may be written. */
  answer(line: string): Promise<void>;
  /** One malformed line: its number and the reason. */
  malformed(lineNumber: number, reason: string): void;
}

interface PendingProblem extends NumberedProblem {
  readonly lineNumber: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** `id cost s1 … sm`, or `id infeasible`; ` unproven` behind it where the heuristic answered. */
export function answerLine(id: number, plan: RoutePlan): string {
  const answer = plan.feasible ? [plan.cost, ...plan.stops] : ['infeasible'];
  return [id, ...answer, ...(plan.unproven ? ['unproven'] : [])].join(' ');
}

function textOf({ bytes }: Line): string {
  if (bytes === null) throw new MalformedProblem('', `longer than ${MAX_LINE_BYTES} bytes`);
  try {
    return decoder.decode(bytes).trim();
  } catch {
    throw new MalformedProblem('', 'not UTF-8');
  }
}

async function solveBatch(
  planner: RoutePlanner,
  batch: readonly PendingProblem[],
  output: SolveOutput,
): Promise<void> {
  const plans = await planner.trySolveProblems(batch.map(({ problem }) => problem));
  for (const [index, { id, lineNumber }] of batch.entries()) {
    const plan = plans[index]!;
    if ('refused' in plan) output.malformed(lineNumber, `the problem ${plan.refused}`);
    else await output.answer(answerLine(id, plan));
  }
}

/** The problems of some lines; malformed ones are reported. Blank lines are passed over. */
function parseLines(lines: readonly Line[], output: SolveOutput): PendingProblem[] {
  return lines.flatMap((line) => {
    try {
      const text = textOf(line);
      return text === '' ? [] : [{ ...parseProblem(text), lineNumber: line.number }];
    } catch (error) {
      if (!(error instanceof MalformedProblem)) throw error;
      output.malformed(line.number, error.message);
      return [];
    }
  });
}

/** Solves route problems chunk by chunk in bounded memory; returns whether every line was well-formed. */
export async function solveFile(
  input: Readable,
  planner: RoutePlanner,
  output: SolveOutput,
): Promise<boolean> {
  let faultless = true;
  const counted: SolveOutput = {
    answer: (line) => output.answer(line),
    malformed: (lineNumber, reason) => {
      faultless = false;
      output.malformed(lineNumber, reason);
    },
  };
  for await (const lines of readLines(input)) {
    await solveBatch(planner, parseLines(lines, counted), counted);
  }
  return faultless;
}
