import { failedOutcome, inferRequestOf, lateOutcome, solvedOutcome } from '#lib/shard-outcome';
import type { TravelMatrices } from '#lib/travel-matrices';
import { decideNothing } from '#policy/join/decide-nothing';
import { decideRound, workBudgetOf } from '#policy/join/decide-round';
import type { UnixMs } from '#schemas/brands';
import type { DecisionContent, Shard, ShardOutcome, ShardUse } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import type { OwnEngine } from './engine-process';
import type { PreparedRound } from './prepared-round';
import { Places } from './places';

/** Costs one shard; the engine does it, or what was recorded stands for it. */
export interface ShardCoster {
  cost(shard: Shard, round: PreparedRound): Promise<ShardOutcome>;
}

const farAheadMs = 600_000;
/** Below what the engine queues, so that none is refused. */
const mostInFlight = 64;

/** The engine, with as many shards in flight as it takes. */
export class EngineCoster implements ShardCoster {
  private readonly places = new Places(mostInFlight);

  constructor(private readonly engine: Pick<OwnEngine, 'client' | 'deviceKind' | 'lost'>) {}

  async cost(shard: Shard): Promise<ShardOutcome> {
    return this.places.with(async () => {
      const deadline = (Date.now() + farAheadMs) as UnixMs;
      const { client, deviceKind, lost } = this.engine;
      try {
        const response = await Promise.race([client.infer(inferRequestOf(shard), deadline), lost]);
        return solvedOutcome(shard, response, deviceKind);
      } catch (error) {
        const code = error instanceof RoundhouseError ? error.code : 'INTERNAL';
        if (code === 'ENGINE_LOST' || code === 'DEVICE_FAULT') throw error;
        return failedOutcome(shard, code);
      }
    });
  }
}

/** What the engine gave when the round was recorded. Throws RECORDING_INVALID where the recording lacks it. */
export class RecordedCoster implements ShardCoster {
  cost(shard: Shard, { recorded, cutDiffers }: PreparedRound): Promise<ShardOutcome> {
    const found = recorded.outcomes.find(({ outcome }) => outcome.shardIndex === shard.shardIndex);
    if (cutDiffers || found?.outcome.status !== 'solved') {
      const why = cutDiffers ? 'it is cut otherwise now' : `no solved outcome of shard ${shard.shardIndex}`;
      const reason = `round ${shard.roundId} has no recorded costs: ${why}`;
      return Promise.reject(new RoundhouseError('RECORDING_INVALID', reason));
    }
    const { runId, model } = shard;
    return Promise.resolve({ ...found.outcome, runId, models: [model] });
  }
}

/** As the recorded decision says of it. */
export function unsolvedOutcome(shard: Shard, { status, errorCode }: ShardUse): ShardOutcome {
  const outcome = status === 'late' ? lateOutcome(shard) : failedOutcome(shard, 'INTERNAL');
  return { ...outcome, errorCode };
}

/** As it arrived then: solved again, failed or late as it was, or never. */
async function outcomeOf(
  shard: Shard,
  round: PreparedRound,
  coster: ShardCoster,
): Promise<ShardOutcome | null> {
  const use = round.arrivals.shards[shard.shardIndex]!;
  if (use.status === 'missing') return null;
  return use.status === 'solved' ? coster.cost(shard, round) : unsolvedOutcome(shard, use);
}

/** The decision of a round in this process: what the aggregator would decide of these outcomes. */
export async function solveDirectly(
  round: PreparedRound,
  coster: ShardCoster,
  matrices: TravelMatrices,
): Promise<DecisionContent> {
  const { manifest, shards, arrivals } = round;
  const outcomes = await Promise.all(shards.map((shard) => outcomeOf(shard, round, coster)));
  const arrived = new Map<number, ShardOutcome>();
  outcomes.forEach((outcome, index) => outcome !== null && arrived.set(index, outcome));
  const { travel } = manifest.round.policy;
  const matrix = travel.kind === 'matrix' ? matrices.find(travel.contentHash) : undefined;
  const { stale, closedBy, effort } = arrivals;
  if (effort === 'none')
    return decideNothing(manifest, arrived, closedBy, { stale, errorCode: 'DEADLINE_EXCEEDED' });
  const workBudget = workBudgetOf(manifest.shardCandidateCounts, effort);
  return decideRound(manifest, arrived, closedBy, { stale, workBudget, ...(matrix && { matrix }) });
}
