import { engineMs, type RoundTrace, type ShardTrace } from './decision-log';
import { percentile, round } from './statistics';

/** Where the time of complete rounds went: p50 and p99 by phase, ms, in the order of a round's way. */
export type PhaseTable = Readonly<Record<string, { readonly p50: number; readonly p99: number }>>;

const largest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);
const answeredAt = ({ shards }: RoundTrace): number =>
  largest([...shards.values()].map((shard) => shard.answeredAt));
const appendedAt = ({ shards }: RoundTrace): number =>
  largest([...shards.values()].map((shard) => shard.appendedAt));

/** Times of a round, of which each begins where the one before it ended; those of the services overlap them. */
const ofRound: Readonly<Record<string, (trace: RoundTrace) => number>> = {
  upload: (trace) => trace.receivedAt - trace.submittedAt,
  receivedToShards: (trace) => appendedAt(trace) - trace.receivedAt,
  shardsToManifest: (trace) => trace.manifestAt - appendedAt(trace),
  shardsToOutcomes: (trace) => answeredAt(trace) - appendedAt(trace),
  engine: engineMs,
  allInToClosed: (trace) => trace.closedAt - Math.max(answeredAt(trace), trace.manifestAt),
  closedToDecision: (trace) => trace.decidedAt! - trace.closedAt,
};

/** Times of a shard. */
const ofShard: Readonly<Record<string, (shard: ShardTrace) => number>> = {
  shardToEngine: ({ appendedAt: at, backend }) => backend!.start - at,
  shardInEngine: ({ backend }) => backend!.end - backend!.start,
  engineToOutcome: ({ answeredAt: at, backend }) => at - backend!.end,
};

const shareOf = (values: readonly number[]) => ({
  p50: round(percentile(values, 0.5)),
  p99: round(percentile(values, 0.99)),
});

function namesOf(complete: readonly RoundTrace[], service: 'ingest' | 'aggregator'): string[] {
  return [...new Set(complete.flatMap((trace) => Object.keys(trace[service])))];
}

export function phaseTable(complete: readonly RoundTrace[]): PhaseTable {
  const shards = complete.flatMap((trace) => [...trace.shards.values()]).filter(({ backend }) => backend);
  const own = (['ingest', 'aggregator'] as const).flatMap((service) =>
    namesOf(complete, service).map((name): [string, number[]] => [
      `${service}.${name}`,
      complete.map((trace) => trace[service][name] ?? 0),
    ]),
  );
  const measured: [string, number[]][] = [
    ...Object.entries(ofRound).map(([name, of]): [string, number[]] => [name, complete.map(of)]),
    ...Object.entries(ofShard).map(([name, of]): [string, number[]] => [name, shards.map(of)]),
    ...own,
  ];
  return Object.fromEntries(measured.map(([name, values]) => [name, shareOf(values)]));
}
