import type { DispatchRound } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import { Interleave, PARAM_COUNT, Param, TENSOR_ABI } from '#schemas/tensors';

/** The `params` tensor, the same in every shard of a round. */
export function shardParams(round: DispatchRound, candidateColumns: number): BigInt64Array {
  const { policy } = round;
  const params = new BigInt64Array(PARAM_COUNT);
  const set = (position: number, value: number) => (params[position] = BigInt(value));
  set(Param.abi, TENSOR_ABI);
  set(Param.asOf, round.asOf);
  set(Param.quantumSeconds, policy.travel.quantumSeconds);
  set(Param.weightLateness, policy.weights.lateness);
  set(Param.weightDuration, policy.weights.duration);
  set(Param.weightFreshness, policy.weights.freshness);
  set(Param.interleave, interleaveOf(policy));
  set(Param.mergePickups, policy.mergePickups ? 1 : 0);
  set(Param.quantile, policy.quantile === 'p50' ? 50 : 90);
  set(Param.candidateColumns, candidateColumns);
  set(Param.travelKind, policy.travel.kind === 'speed' ? 0 : 1);
  set(Param.secondsOfDay, policy.context.secondsOfDay);
  set(Param.dayOfWeek, policy.context.dayOfWeek);
  set(Param.rainPerMille, policy.context.rainPerMille);
  set(Param.trafficPerMille, policy.context.trafficPerMille);
  set(Param.travelKnown, policy.travel.known ? 1 : 0);
  writeTravel(round, params);
  return params;
}

function interleaveOf({ chains, interleave }: DispatchRound['policy']): number {
  if (chains) return Interleave.tripByTrip;
  return interleave ? Interleave.mixed : Interleave.heldFirst;
}

function writeTravel({ policy: { travel } }: DispatchRound, params: BigInt64Array): void {
  if (travel.kind === 'speed') {
    vehicles.forEach(
      (vehicle, i) => (params[Param.metresPerHour + i] = BigInt(travel.metresPerHour[vehicle])),
    );
    return;
  }
  const hash = Buffer.from(travel.contentHash, 'hex');
  for (let i = 0; i < 4; i += 1) params[Param.matrixHash + i] = hash.readBigInt64BE(8 * i);
}
