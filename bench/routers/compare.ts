import { LeastLoaded, PowerOfTwo, RandomRouter, RoundRobin } from '#policy/balancing/simulation/baselines';
import { measure, type RoutingFigures } from '#policy/balancing/simulation/measure';
import { OurRouter } from '#policy/balancing/simulation/our-router';
import type { Scenario } from '#policy/balancing/simulation/scenario';
import type { MakeRouter } from '#policy/balancing/simulation/simulated-router';
import { simulate } from '#policy/balancing/simulation/simulate';

const policies = {
  random: (remotes, random) => new RandomRouter(remotes, random),
  roundRobin: (remotes, random) => new RoundRobin(remotes, random),
  leastLoaded: (remotes, random) => new LeastLoaded(remotes, random),
  powerOfTwo: (remotes, random) => new PowerOfTwo(remotes, random),
  ours: (remotes, random) => new OurRouter(remotes, random),
} satisfies Record<string, MakeRouter>;
export type PolicyName = keyof typeof policies;
export const policyNames = Object.keys(policies) as PolicyName[];

export function figuresOf(scenario: Scenario, name: PolicyName): RoutingFigures {
  return measure(scenario, simulate(scenario, policies[name]));
}
