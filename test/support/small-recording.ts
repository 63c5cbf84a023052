import type { OrderId, RoundId, RunId, UnixMs } from '#schemas/brands';
import type { DispatchRound, ShardOutcome } from '#schemas/domain';
import { decideRound } from '#policy/join/decide-round';
import { decisionRecord } from '#policy/join/decision-record';
import type { RecordedRound } from '#services/replay/recording/recorded-round';
import { RecordingWriter } from '#services/replay/recording/recording-writer';
import { buildCourier, buildOrder, buildRound, buildStop } from './build-round';
import { solved } from './solved-round';

export const smallCut = {
  candidatesPerShard: 3,
  shardsPerRound: 32,
  maxShardBytes: 524_288,
  maxCandidates: 200_000,
};
const origin = { kind: 'kafka', topicPrefix: '', from: 0, to: 1_000_000 } as const;
const nothingHidden = { hashed: [], dropped: [] } as const;

/** Three couriers and three orders, with ids of the round's own, so that there are three shards. */
export function smallRound(number: number, changes: Partial<DispatchRound> = {}): DispatchRound {
  const names = [0, 1, 2];
  return buildRound({
    runId: 'live' as RunId,
    roundId: `round-${number}` as RoundId,
    sequence: BigInt(number),
    deadline: (2_000 + 1_000 * number) as UnixMs,
    couriers: names.map((i) => buildCourier(`k${i}`, { position: { x: 900 * i + 10 * number, y: 0 } })),
    orders: names.map((i) =>
      buildOrder(`o${number}-${i}`, {
        pickup: buildStop(`R${i}`, 1_000 * i, 0),
        dropoff: buildStop(`h${i}`, 1_000 * i, 300),
      }),
    ),
    ...changes,
  });
}

const at = (ms: number) => ({ appendedAt: ms as UnixMs, headers: [{ name: 'rh-host', value: 'here' }] });

/** As it would be recorded; `lose` says what became of some of its outcomes. */
export function recorded(
  round: DispatchRound,
  lose: (outcomes: Map<number, ShardOutcome>) => void = () => undefined,
  stale = false,
): RecordedRound {
  const { manifest, outcomes } = solved(round, smallCut.candidatesPerShard);
  lose(outcomes);
  const closedBy = outcomes.size === manifest.shardCount ? 'complete' : 'deadline';
  const content = decideRound(manifest, outcomes, closedBy, { stale });
  return {
    ...at(round.deadline - 1_000),
    manifest,
    outcomes: [...outcomes.values()].map((outcome) => ({ ...at(round.deadline - 900), outcome })),
    decision: { ...at(round.deadline - 500), decision: decisionRecord(round, content) },
    faults: [],
  };
}

/** What can become of a round: complete, without a shard, with one that failed and one that was late, stale. */
export function allKinds(): RecordedRound[] {
  const failing = (outcomes: Map<number, ShardOutcome>) => {
    const empty = { plans: new Uint8Array(0), orderTimes: new Uint8Array(0), rideFactors: new Uint8Array(0) };
    const change = { ...empty, deviceKind: '' };
    outcomes.set(0, { ...outcomes.get(0)!, ...change, status: 'failed', errorCode: 'ENGINE_LOST' });
    outcomes.set(1, { ...outcomes.get(1)!, ...change, status: 'late', errorCode: 'DEADLINE_EXCEEDED' });
  };
  return [
    recorded(smallRound(1)),
    recorded(smallRound(2), (outcomes) => outcomes.delete(0)),
    recorded(smallRound(3), failing),
    recorded(smallRound(4), () => undefined, true),
    recorded(smallRound(5, { cancelledOrderIds: ['o5-1' as OrderId] })),
  ];
}

export function writeRecording(folder: string, rounds: readonly RecordedRound[]): void {
  const writer = RecordingWriter.create(folder, { origin, settings: smallCut, personal: nothingHidden });
  rounds.forEach((round) => writer.append(round));
  writer.end(1_000_000);
}
