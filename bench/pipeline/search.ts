import type { DispatchRound } from '#schemas/domain';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import type { RoundTrace } from './decision-log';
import { decisionMs } from './decision-log';
import { bodyOf, submitRound, type RoundBody, type SubmitOptions } from './load';
import type { CityShape, PipelineBenchOptions } from './options';
import { percentile, round } from './statistics';

/** Why a round did not count: what ingest or the aggregator did with it, in the order in which it is asked. */
export type Miss = 'refused' | 'undecided' | 'late' | 'incomplete' | 'inHaste';

export interface Probe {
  readonly candidates: number;
  readonly couriers: number;
  readonly orders: number;
  /** Complete and in time, of `roundsPerSize`. */
  readonly inTime: number;
  readonly missed: Readonly<Partial<Record<Miss, number>>>;
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
/** Between a size that was too large and the next one. */
const recoveredRounds = 3;
const mostRecoveryRounds = 30;
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

/** Null for a round in time, with all of its plans and the full effort. */
export function missOf({
  refusal,
  closedBy,
  coverage,
  effort,
  decidedAt,
  deadline,
}: RoundTrace): Miss | null {
  if (refusal !== null) return 'refused';
  if (decidedAt === null) return 'undecided';
  if (decidedAt > deadline) return 'late';
  if (closedBy !== 'complete' || coverage !== 1) return 'incomplete';
  return effort === 'full' ? null : 'inHaste';
}

const isInTime = (trace: RoundTrace): boolean => missOf(trace) === null;

function countMisses(traces: readonly RoundTrace[]): Partial<Record<Miss, number>> {
  const counts: Partial<Record<Miss, number>> = {};
  for (const miss of traces.map(missOf)) if (miss !== null) counts[miss] = (counts[miss] ?? 0) + 1;
  return counts;
}

/** Sends rounds of one size, one at a time, and numbers them. */
class Probing {
  constructor(
    private readonly options: SubmitOptions,
    private index: number,
  ) {}

  async probe(template: DispatchRound): Promise<Probe> {
    const body = bodyOf(template);
    for (let i = 0; i < warmUpRounds; i++) await this.round(body);
    const traces: RoundTrace[] = [];
    for (let i = 0; i < roundsPerSize; i++) traces.push(await this.round(body));
    const times = traces.map((trace) => (isInTime(trace) ? decisionMs(trace) : Infinity));
    return {
      candidates: traces.find(isInTime)?.candidatesSolved ?? 0,
      couriers: template.couriers.length,
      orders: template.orders.length,
      inTime: traces.filter(isInTime).length,
      missed: countMisses(traces),
      decisionMsP50: round(percentile(times, 0.5)),
      decisionMsMax: round(percentile(times, 1)),
    };
  }

  /** Until some rounds in a row are in time: how long decisions take is learned, and falls slowly after a size that was too large. */
  async recover(template: DispatchRound): Promise<void> {
    const body = bodyOf(template);
    let inRow = 0;
    for (let i = 0; i < mostRecoveryRounds && inRow < recoveredRounds; i++) {
      inRow = isInTime(await this.round(body)) ? inRow + 1 : 0;
    }
  }

  private async round(body: RoundBody): Promise<RoundTrace> {
    const { log, deadlineMs } = this.options;
    const id = `r${this.index}`;
    await submitRound(this.options, body, this.index++);
    const trace = log.rounds.get(id)!;
    if (trace.refusal === null) await log.decided(id, deadlineMs + patienceMs);
    return trace;
  }
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
  const probing = new Probing(submit, firstIndex);
  let lastGood: DispatchRound | null = null;
  const fits = async (candidates: number): Promise<boolean> => {
    const sized = ofSize(options, template, options.city, candidates);
    const result = await probing.probe(sized);
    probes.push(result);
    const { inTime, missed, decisionMsP50 } = result;
    const why = inTime === roundsPerSize ? '' : `, missed ${JSON.stringify(missed)}`;
    note(`  ${candidates} candidates: ${inTime} of ${roundsPerSize} in time, ${decisionMsP50} ms${why}`);
    if (inTime === roundsPerSize) lastGood = sized;
    else if (lastGood !== null) await probing.recover(lastGood);
    return inTime === roundsPerSize;
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
