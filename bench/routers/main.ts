import { runCommand } from '#lib/command-line';
import { standardScenario } from '#policy/balancing/simulation/standard-scenario';
import { cases } from './cases';
import { figuresOf, policyNames } from './compare';
import { decisionCost } from './decision-cost';
import { faultyRemotes } from './faulty-remotes';
import { realRuns } from './real';
import { parseOptions, usage, type RoutersBenchOptions } from './options';

const realSeconds = 20;

async function bench(options: RoutersBenchOptions): Promise<void> {
  if (options.real === 0) return simulated(options);
  const results = await realRuns(realSeconds, options.real);
  console.log(JSON.stringify({ seconds: realSeconds, results }, null, 1));
}

function simulated({ seed, engines, workers, durationMs }: RoutersBenchOptions): void {
  const results = cases.map(({ name, changes }) => {
    console.error(name);
    const scenario = standardScenario({ ...changes, seed, engines, workers, durationMs });
    const rows = policyNames.map((policy) => [policy, figuresOf(scenario, policy)] as const);
    return { case: name, ...Object.fromEntries(rows) };
  });
  console.error('bad remotes');
  const bad = faultyRemotes([seed, seed + 1, seed + 2]);
  const decision = decisionCost(engines, 200_000);
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 10_000) / 10_000 : value;
  console.log(JSON.stringify({ seed, engines, workers, durationMs, results, bad, decision }, rounded, 1));
}

void runCommand({ usage, parse: parseOptions, run: bench });
