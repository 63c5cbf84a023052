import type { DispatchRound } from '#schemas/domain';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import type { RoundTrace } from './decision-log';
import { decisionMs } from './decision-log';
import { bodyOf, submitRound, type SubmitOptions } from './load';
import type { CityShape, PipelineBenchOptions } from './options';
import { percentile, round } from './statistics';

export interface Probe {
  readonly candidates: number;
  readonly couriers: number;
  readonly orders: number;
  /** Complete and in time, of `roundsPerSize`. */
  readonly inTime: number;
  readonly decisionMsP50: number;
  readonly decisionMsMax: number;
}

export interface SearchResult {
  /** The largest size at which every round was complete and in time; null where none was. */
  readonly largest: Probe | null;
  readonly probes: readonly Probe[];
}

const roundsPerSize = 10;
/** Of a size, the first rounds warm up and don't count. */
const warmUpRounds = 2;
const growth = 1.5;
/** The answer is within this factor of what no longer fits. */
const precision = 1.08;
const mostCandidates = 2_000_000;
/** A decision that comes so much after its deadline is not waited for. */
const patienceMs = 1_000;

/** Couriers and orders by the factor, all else as in `template`: candidates grow by about the same factor. */
function ofSize(options: PipelineBenchOptions, template: DispatchRound, city: CityShape, candidates: number) {
  const factor = candidates / options.candidates;
  const { candidateRadiusMetres, couriersPerBundle, bundles } = template.policy;
  const { maxOrders: bundleOrders, maxDropoffSpreadMetres } = bundles;
  const policy = { candidateRadiusMetres, couriersPerBundle, bundleOrders, maxDropoffSpreadMetres };
  const couriers = Math.max(1, Math.round(city.couriers * factor));
  const orders = Math.max(1, Math.round(city.orders * factor));
  return cityRounds({ seed: options.seed, couriers, orders, candidates: null, policy }, 1)[0]!;
}

/** With all of its plans and the full effort. */
const isInTime = ({ closedBy, coverage, effort, decidedAt, deadline }: RoundTrace): boolean =>
  closedBy === 'complete' && coverage === 1 && effort === 'full' && (decidedAt ?? Infinity) <= deadline;

/** One round at a time, as large as `template`. */
async function probe(options: SubmitOptions, template: DispatchRound, firstIndex: number): Promise<Probe> {
  const body = bodyOf(template);
  const traces: RoundTrace[] = [];
  for (let i = 0; i < warmUpRounds + roundsPerSize; i++) {
    const index = firstIndex + i;
    await submitRound(options, body, index);
    const trace = options.log.rounds.get(`r${index}`)!;
    if (trace.refusal === null) await options.log.decided(`r${index}`, options.deadlineMs + patienceMs);
    if (i >= warmUpRounds) traces.push(trace);
  }
  const times = traces.map((trace) => (isInTime(trace) ? decisionMs(trace) : Infinity));
  return {
    candidates: traces.find(isInTime)?.candidatesSolved ?? 0,
    couriers: template.couriers.length,
    orders: template.orders.length,
    inTime: traces.filter(isInTime).length,
    decisionMsP50: round(percentile(times, 0.5)),
    decisionMsMax: round(percentile(times, 1)),
  };
}

/**
 * The largest city round of the shape (couriers and orders grow with the candidates) that makes its deadline with the
 * full effort ten times in a row: in steps of a half upwards from the size given, or downwards where that one is too large, then
 * by bisection.
 */
export async function largestInTime(
  options: PipelineBenchOptions & { readonly city: CityShape },
  template: DispatchRound,
  submit: SubmitOptions,
  firstIndex: number,
  note: (text: string) => void,
): Promise<SearchResult> {
  const probes: Probe[] = [];
  let next = firstIndex;
  const fits = async (candidates: number): Promise<boolean> => {
    const result = await probe(submit, ofSize(options, template, options.city, candidates), next);
    next += warmUpRounds + roundsPerSize;
    probes.push(result);
    note(
      `  ${candidates} candidates: ${result.inTime} of ${roundsPerSize} in time, ${result.decisionMsP50} ms`,
    );
    return result.inTime === roundsPerSize;
  };
  await bracketAndBisect(options.candidates, fits);
  const good = probes.filter(({ inTime }) => inTime === roundsPerSize);
  const largest = good.reduce<Probe | null>(
    (a, b) => (a === null || b.candidates > a.candidates ? b : a),
    null,
  );
  return { largest, probes };
}

/** Asks `fits` of sizes until the largest that fits is known to `precision`. */
export async function bracketAndBisect(
  start: number,
  fits: (candidates: number) => Promise<boolean>,
): Promise<void> {
  let good = 0;
  let bad = Infinity;
  for (let size = start; size >= 100 && size <= mostCandidates;) {
    if (await fits(size)) good = size;
    else bad = size;
    if (good > 0 && bad < Infinity) break;
    size = Math.round(good > 0 ? size * growth : size / growth);
  }
  while (good > 0 && bad < Infinity && bad / good > precision) {
    const middle = Math.round(Math.sqrt(good * bad));
    if (await fits(middle)) good = middle;
    else bad = middle;
  }
}
