import { runCommand } from '#lib/command-line';
import { standardScenario } from '#policy/scheduling/simulation/standard-scenario';
import { cases } from './cases';
import { compare } from './compare';
import { decisionCost } from './decision-cost';
import { withinAQuarter } from './memory';
import { parseOptions, usage, type SchedulingBenchOptions } from './options';

function bench({ seed, traces, bursts }: SchedulingBenchOptions): Promise<void> {
  const seeds = Array.from({ length: traces }, (_, index) => seed + index);
  const results = cases.map(({ name, changes }) => {
    console.error(name);
    return {
      case: name,
      ...compare(seeds.map((one) => standardScenario({ ...changes, bursts, seed: one }))),
    };
  });
  const memory = withinAQuarter(seeds, bursts);
  const decision = decisionCost(1_000, 50_000);
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
  console.log(JSON.stringify({ seeds, bursts, results, memory, decision }, rounded, 1));
  return Promise.resolve();
}

void runCommand({ usage, parse: parseOptions, run: bench });
