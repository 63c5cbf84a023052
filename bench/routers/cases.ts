import type { Fault } from '#policy/balancing/simulation/scenario';
import type { StandardOptions } from '#policy/balancing/simulation/standard-scenario';

export interface RoutingCase {
  readonly name: string;
  readonly changes: Partial<StandardOptions>;
}

const always = { fromMs: 1_000, untilMs: Infinity, factor: 20 };
const fault = (engine: number, kind: Fault['kind']): Fault => ({ engine, kind, ...always });

/** A hundredth of the engines each; none of the workers' own. */
function faultsOfMany(): Fault[] {
  const kinds = ['dead', 'hung', 'slow', 'failing'] as const;
  return kinds.flatMap((kind, at) =>
    Array.from({ length: 10 }, (_, index) => fault(100 + 40 * index + at, kind)),
  );
}

export const cases: readonly RoutingCase[] = [
  { name: 'load 0.5', changes: { load: 0.5 } },
  { name: 'load 0.7', changes: {} },
  { name: 'load 0.9', changes: { load: 0.9 } },
  { name: 'equal engines', changes: { speeds: [1] } },
  { name: 'reports up to 500 ms old', changes: { reportEveryMs: 500 } },
  { name: 'bursts of 100 rounds', changes: { roundsPerBurst: 100 } },
  { name: 'network of 10 ms each way', changes: { network: { oneWayMs: 10, bytesPerMs: 200_000 } } },
  { name: '10 dead, 10 hung, 10 slow, 10 failing', changes: { faults: faultsOfMany() } },
  { name: 'load 1.2', changes: { load: 1.2 } },
];
