import { runCommand } from '#lib/command-line';
import { measureMatching } from './matching';
import { parseOptions, usage, type AssignmentBenchOptions } from './options';
import { measureLarge, measurePacking } from './packing';

async function bench({ problems, highs, matchings, firstCalls, large }: AssignmentBenchOptions) {
  console.error(`matching: ${firstCalls} first calls, ${matchings} in a row`);
  const matching = await measureMatching(matchings, firstCalls);
  const packing = await measurePacking(problems, highs);
  console.log(JSON.stringify({ ...matching, ...packing, ...(large && { large: measureLarge() }) }));
}

void runCommand({ usage, parse: parseOptions, run: bench });
