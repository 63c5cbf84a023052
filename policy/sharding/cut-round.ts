import type { ShardIndex } from '#schemas/brands';
import type { DispatchRound, ModelRef, RoundManifest, Shard } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { MAX_OUTCOME_BYTES } from '#schemas/message-sizes';
import { CANDIDATE_COST_MODEL, ORDER_TIME_COLUMNS, PLAN_RECORD_BYTES } from '#schemas/tensors';
import { candidateTable, planningView, type CandidateTable, type PlanningView } from '../candidates/index';
import type { TravelMatrix } from '../routing/index';
import { balanceShards } from './balance-shards';
import { byLocality } from './locality';
import { predictedCosts } from './predicted-cost';
import { shardParams } from './shard-params';
import { orderedRows, type ShardBuild } from './shard-rows';
import { ShardTables } from './shard-tables';
import { baseCosts, weighedRows, type WeighedRows } from './weighed-rows';

export interface CutLimits {
  /** Candidates a shard should have, and more where there would be more shards than `shardsPerRound`. */
  readonly candidatesPerShard?: number;
  /** All that `candidatesPerShard` asks for where absent. More are made where shards or outcomes would be too large. */
  readonly shardsPerRound?: number;
  /** Tensor bytes that a shard may have at most. */
  readonly maxShardBytes?: number;
  readonly maxCandidates?: number;
}

const DEFAULT_CANDIDATES_PER_SHARD = 500;
const MAX_SHARD_BYTES = 512 * 1024;
/** Names, shapes, ids and the Avro envelope around the tensors. */
const ENVELOPE_BYTES = 1_024;

interface Size {
  readonly bytes: number;
  readonly limit: number;
}

/** Of a round that is being cut: what doesn't depend on its models, its sequence or its label. */
export interface FilledShard {
  readonly candidates: number;
  readonly tensors: Shard['tensors'];
  readonly orderBitmap: Uint8Array;
  /** Of the shard or of its outcome, whichever fills its limit more. */
  readonly size: Size;
}

class ShardFiller {
  private readonly tables: ShardTables;
  private readonly params: BigInt64Array;

  constructor(
    view: PlanningView,
    private readonly rows: WeighedRows,
    private readonly bases: Float64Array,
    private readonly maxBytes: number,
  ) {
    const width = widthOf(rows);
    this.tables = new ShardTables(view, width);
    this.params = shardParams(view.round, width);
  }

  fill(shard: ShardBuild): FilledShard {
    const rows = orderedRows(shard, this.rows, this.bases);
    this.tables.fill(rows);
    const tensors = this.tables.tensors(this.params);
    const bytes = tensors.reduce((sum, { data }) => sum + data.byteLength, ENVELOPE_BYTES);
    const outcomeBytes =
      ENVELOPE_BYTES + rows.count * PLAN_RECORD_BYTES + this.tables.orderCount * 4 * ORDER_TIME_COLUMNS;
    const size = fuller({ bytes, limit: this.maxBytes }, { bytes: outcomeBytes, limit: MAX_OUTCOME_BYTES });
    return { candidates: rows.count, tensors, orderBitmap: this.tables.orderBitmap(), size };
  }
}

/** To begin with. Shards of equal cost have unequal counts of rows: half of what an outcome holds is the mean. */
function shardCount(rows: number, { candidatesPerShard, shardsPerRound = Infinity }: CutLimits): number {
  const wanted = Math.round(rows / (candidatesPerShard ?? DEFAULT_CANDIDATES_PER_SHARD));
  const atLeast = Math.ceil((2 * rows * PLAN_RECORD_BYTES) / MAX_OUTCOME_BYTES);
  return Math.max(1, Math.min(wanted, Math.max(shardsPerRound, atLeast)));
}

/** The one that fills its limit more; the first among equals. */
function fuller(a: Size, b: Size): Size {
  return b.bytes * a.limit > a.bytes * b.limit ? b : a;
}

/** Columns of a candidate's row in the tensor: its courier and the most orders of a bundle, at least one. */
function widthOf(rows: WeighedRows): number {
  return rows.bundles.reduce((most, bundle) => Math.max(most, 1 + bundle.length), 2);
}

/** The rows of all shards, for `cutCandidates`. Throws ROUND_TOO_LARGE. */
export function fillShards(view: PlanningView, table: CandidateTable, limits: CutLimits): FilledShard[] {
  const costOf = predictedCosts(view);
  const bases = baseCosts(view, costOf);
  const rows = byLocality(view, weighedRows(table, bases, costOf));
  const filler = new ShardFiller(view, rows, bases, limits.maxShardBytes ?? MAX_SHARD_BYTES);
  let least = 1;
  let count = shardCount(rows.count, limits);
  for (;;) {
    const shards = balanceShards(rows, bases, count, least).map((shard) => filler.fill(shard));
    if (shards.length === 0) return shards;
    const { bytes, limit } = shards.map(({ size }) => size).reduce(fuller);
    if (bytes <= limit) return shards;
    const tried = Math.max(shards.length, least);
    if (tried >= rows.count) {
      throw new RoundhouseError('ROUND_TOO_LARGE', `a shard of ${bytes} bytes, limit ${limit}`);
    }
    least = count = Math.min(rows.count, Math.max(tried + 1, Math.ceil((tried * bytes) / limit)));
  }
}

export interface CutRound {
  readonly manifest: RoundManifest;
  readonly shards: Shard[];
}

/**
 * Cuts a round into shards of about equal predicted cost: every candidate stands in exactly one of them,
 * and a courier's base row in every shard in which the courier stands. Pure and deterministic. A round
 * without couriers, orders or candidates has no shards. `ahead`: what `fillShards` gave for it before.
 */
export function cutCandidates(
  view: PlanningView,
  table: CandidateTable,
  models: readonly ModelRef[],
  limits: CutLimits = {},
  ahead?: readonly FilledShard[],
): CutRound {
  const { round } = view;
  const model = models.find(({ name }) => name === CANDIDATE_COST_MODEL);
  if (!model) throw new RoundhouseError('MODEL_UNAVAILABLE', `no ${CANDIDATE_COST_MODEL} under the label`);
  const filled = ahead ?? fillShards(view, table, limits);
  const shards = filled.map(({ candidates, tensors }, index) => ({
    tenantId: round.tenantId,
    runId: round.runId,
    roundId: round.roundId,
    shardIndex: index as ShardIndex,
    zoneId: round.zoneId,
    shardCount: filled.length,
    candidateCount: candidates,
    deadline: round.deadline,
    model,
    tensors,
  }));
  const manifest = {
    round,
    models,
    shardCount: shards.length,
    shardCandidateCounts: shards.map(({ candidateCount }) => candidateCount),
    shardOrders: filled.map(({ orderBitmap }) => orderBitmap),
  };
  return { manifest, shards };
}

/** Its candidates and their cut; `matrix`: the round's travel matrix, where it names one. */
export function cutRound(
  round: DispatchRound,
  models: readonly ModelRef[],
  { matrix, ...limits }: CutLimits & { readonly matrix?: TravelMatrix } = {},
): CutRound {
  const view = planningView(round, matrix);
  return cutCandidates(view, candidateTable(view, limits.maxCandidates), models, limits);
}
