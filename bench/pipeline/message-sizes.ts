import { cutRound } from '#policy/sharding/index';
import { roundsCodec, shardsCodec } from '#schemas/codec';
import type { DispatchRound } from '#schemas/domain';
import type { MessageSizes } from './bare-chain';
import type { RoundTrace } from './decision-log';
import { percentile } from './statistics';

const models = ['candidate_cost', 'delivery_time'].map((name) => ({
  name,
  version: '1',
  contentHash: '0'.repeat(64),
}));

/** Bytes of a round's messages: shards and manifest as ingest encodes them, the rest as they were seen. */
export function messageSizes(
  round: DispatchRound,
  candidatesPerShard: number,
  traces: readonly RoundTrace[],
): MessageSizes {
  const { manifest, shards } = cutRound(round, models, { candidatesPerShard });
  const solved = traces.filter((trace) => trace.shards.size === shards.length);
  const median = (values: readonly number[]): number => percentile(values, 0.5) || 0;
  const outcomeBytes = (shard: number): number[] =>
    solved.map((trace) => trace.shards.get(shard)?.outcomeBytes ?? 0);
  return {
    shards: shards.map((shard) => shardsCodec.encode(shard).length),
    manifest: roundsCodec.encode(manifest).length,
    outcomes: shards.map((_, shard) => median(outcomeBytes(shard))),
    decision: median(solved.map((trace) => trace.decisionBytes)),
  };
}
