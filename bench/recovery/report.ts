import type { RoundTrace } from '../pipeline/decision-log';
import { percentile, round } from '../pipeline/statistics';
import type { Kill } from './kills';
import type { Way } from './options';
import type { GoodOutcome, ShardTrace } from './shard-log';

export interface Measured {
  readonly way: Way;
  readonly kills: readonly Kill[];
  readonly rounds: ReadonlyMap<string, RoundTrace>;
  readonly shards: Iterable<ShardTrace>;
  readonly good: readonly GoodOutcome[];
  readonly duplicatesUsed: number;
}

/** From a kill to the first outcome that another engine has worked out, at its append to the topic. */
export function firstGoodMs(killedAt: number, good: readonly GoodOutcome[]): number {
  const after = good.filter(({ startedAt }) => startedAt > killedAt);
  return Math.min(...after.map(({ appendedAt }) => appendedAt)) - killedAt;
}

/** A kill is overcome by then. */
const recoveryMs = 3_000;

/** Lost: no outcome of any kind by the deadline of its round, which was accepted. */
function isLost({ roundId, firstOutcomeAt }: ShardTrace, rounds: Measured['rounds']): boolean {
  const round = rounds.get(roundId);
  if (round === undefined || round.refusal !== null) return false;
  return firstOutcomeAt === null || firstOutcomeAt > round.deadline;
}

/** Nothing was killed while it was under way: it has another cause, such as a busy machine. */
function isFarFromKills({ roundId }: ShardTrace, { rounds, kills }: Measured): boolean {
  const { submittedAt, deadline } = rounds.get(roundId)!;
  return !kills.some(({ at }) => at > submittedAt - recoveryMs && at < deadline);
}

export function report(measured: Measured): Record<string, unknown> {
  const { way, kills, rounds, good } = measured;
  const shards = [...measured.shards];
  const lost = shards.filter((shard) => isLost(shard, rounds));
  const traces = [...rounds.values()];
  const accepted = traces.filter(({ refusal }) => refusal === null);
  const firstGood = kills.map(({ at }) => firstGoodMs(at, good));
  const ended = kills.map(({ endedMs }) => endedMs);
  return {
    standby: way.standby,
    deadlineMs: way.deadlineMs,
    kills: kills.length,
    endedMsP50: round(percentile(ended, 0.5)),
    endedMsMax: round(Math.max(...ended)),
    lostShards: lost.length,
    lostFarFromKills: lost.filter((shard) => isFarFromKills(shard, measured)).length,
    degradedRounds: accepted.filter(({ decidedAt, coverage }) => decidedAt !== null && coverage < 1).length,
    duplicatesUsed: measured.duplicatesUsed,
    firstGoodMsP50: round(percentile(firstGood, 0.5)),
    firstGoodMsP99: round(percentile(firstGood, 0.99)),
    firstGoodMsMax: round(Math.max(...firstGood)),
    rounds: traces.length,
    refused: traces.length - accepted.length,
    undecided: accepted.filter(({ decidedAt }) => decidedAt === null).length,
    shards: shards.length,
    repeatedOutcomes: shards.reduce((sum, { outcomes }) => sum + Math.max(0, outcomes - 1), 0),
  };
}
