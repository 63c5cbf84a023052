import type { ShardIndex } from '#schemas/brands';
import type { DispatchRound, ModelRef, RoundManifest, Shard } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { CANDIDATE_COST_MODEL } from '#schemas/tensors';
import { generateCandidates, planningView, type PlanningView } from '../candidates/index';
import type { TravelMatrix } from '../routing/index';
import { balanceShards } from './balance-shards';
import { byLocality } from './locality';
import { predictedCost } from './predicted-cost';
import { shardParams } from './shard-params';
import { baseCosts, type ShardBuild, type ShardRow, type WeighedRow } from './shard-rows';
import { ShardTables } from './shard-tables';

export interface CutLimits {
  /** Candidates a shard should have. */
  readonly candidatesPerShard?: number;
  /** Tensor bytes that a shard may have at most. */
  readonly maxShardBytes?: number;
  readonly maxCandidates?: number;
  /** The round's travel matrix, where it names one. */
  readonly matrix?: TravelMatrix;
}

const DEFAULT_CANDIDATES_PER_SHARD = 500;
const MAX_SHARD_BYTES = 512 * 1024;
/** Names, shapes, ids and the Avro envelope around the tensors. */
const ENVELOPE_BYTES = 1_024;

interface FilledShard {
  readonly rows: readonly ShardRow[];
  readonly tables: ShardTables;
  readonly tensors: Shard['tensors'];
  readonly bytes: number;
}

/** Rows to be spread over the shards: all candidates, and base rows of couriers without one. */
function weighedRows(view: PlanningView, bases: readonly number[], limits: CutLimits): WeighedRow[] {
  const rows: WeighedRow[] = generateCandidates(view, limits.maxCandidates).map(({ courier, bundle }) => ({
    courier,
    bundle,
    cost: predictedCost(view, courier, bundle),
  }));
  const offered = new Set(rows.map(({ courier }) => courier));
  bases.forEach((cost, courier) => {
    if (cost > 0 && !offered.has(courier)) rows.push({ courier, bundle: [], cost: 0 });
  });
  return byLocality(view, rows);
}

function fill(view: PlanningView, shard: ShardBuild, params: BigInt64Array, columns: number): FilledShard {
  const rows = shard.ordered();
  const tables = new ShardTables(view, columns);
  for (const row of rows) tables.add(row);
  const tensors = tables.tensors(params);
  const bytes = tensors.reduce((sum, { data }) => sum + data.byteLength, ENVELOPE_BYTES);
  return { rows, tables, tensors, bytes };
}

function fillShards(view: PlanningView, limits: CutLimits): FilledShard[] {
  const bases = baseCosts(view);
  const rows = weighedRows(view, bases, limits);
  const columns = rows.reduce((most, { bundle }) => Math.max(most, 1 + bundle.length), 2);
  const params = shardParams(view.round, columns);
  const maxBytes = limits.maxShardBytes ?? MAX_SHARD_BYTES;
  let least = 1;
  let count = Math.max(
    1,
    Math.round(rows.length / (limits.candidatesPerShard ?? DEFAULT_CANDIDATES_PER_SHARD)),
  );
  for (;;) {
    const shards = balanceShards(rows, bases, count, least).map((shard) =>
      fill(view, shard, params, columns),
    );
    const largest = shards.reduce((most, { bytes }) => Math.max(most, bytes), 0);
    if (largest <= maxBytes) return shards;
    const tried = Math.max(shards.length, least);
    if (tried >= rows.length) {
      throw new RoundhouseError('ROUND_TOO_LARGE', `a shard of ${largest} bytes, limit ${maxBytes}`);
    }
    const more = Math.max(tried + 1, Math.ceil((tried * largest) / maxBytes));
    least = count = Math.min(rows.length, more);
  }
}

function orderBitmap(orders: number, present: readonly number[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(orders / 8));
  for (const order of present) bits[order >> 3]! |= 1 << (order & 7);
  return bits;
}

/**
 * Cuts a round into shards of about equal predicted cost: every candidate stands in exactly one of them,
 * and a courier's base row in every shard in which the courier stands. Pure and deterministic. A round
 * without couriers, orders or candidates has no shards.
 */
export function cutRound(
  round: DispatchRound,
  models: readonly ModelRef[],
  limits: CutLimits = {},
): { manifest: RoundManifest; shards: Shard[] } {
  const model = models.find(({ name }) => name === CANDIDATE_COST_MODEL);
  if (!model) throw new RoundhouseError('MODEL_UNAVAILABLE', `no ${CANDIDATE_COST_MODEL} under the label`);
  const filled = fillShards(planningView(round, limits.matrix), limits);
  const shards = filled.map(({ rows, tensors }, index) => ({
    tenantId: round.tenantId,
    runId: round.runId,
    roundId: round.roundId,
    shardIndex: index as ShardIndex,
    zoneId: round.zoneId,
    shardCount: filled.length,
    candidateCount: rows.length,
    deadline: round.deadline,
    model,
    tensors,
  }));
  const manifest = {
    round,
    models,
    shardCount: shards.length,
    shardCandidateCounts: shards.map(({ candidateCount }) => candidateCount),
    shardOrders: filled.map(({ tables }) => orderBitmap(round.orders.length, tables.orderIndices())),
  };
  return { manifest, shards };
}
