import type { UnixMs } from '#schemas/brands';
import type { RoundManifest, Shard } from '#schemas/domain';
import { zoneKey } from '#schemas/topics';
import { RoundhouseError } from '#schemas/errors';
import { sleepUntil } from '../sleep-until';
import type { RecordedRound } from '../recording/recorded-round';
import { costsOf, failedRound, sourceOf } from './direct-run';
import { unsolvedOutcome } from './direct-solver';
import type { AwaitedRound, PipelineTopics } from './pipeline-topics';
import { inOrder } from './places';
import { prepareRound, type PreparedRound, type Preparation } from './prepared-round';
import type { ReplayedRound } from './replayed-round';

export interface PipelineRun {
  readonly rounds: Iterable<RecordedRound>;
  readonly preparation: Preparation;
  readonly topics: PipelineTopics;
  /** How many times as fast as they came; `max`: each as soon as the one before it in its zone is decided. */
  readonly pace: 'max' | number;
  /** Without a pace: rounds in work at once, of different zones. */
  readonly atOnce: number;
  /** Without a pace: how long a round has. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** At a pace only what is under way is in memory. */
const pacedAtOnce = 2_000;
/** A decision that isn't there so long behind its deadline won't come. */
const graceMs = 20_000;
/** A round that closed by its deadline gets its manifest when all is there that had come then; this long before it. */
const shortLeadMs = 1_000;

/** Feeds a pipeline with the rounds of a recording, and hands out what it made of them in the recording's order. */
export class PipelineReplay {
  private readonly zones = new Map<string, Promise<unknown>>();

  constructor(private readonly run: PipelineRun) {}

  results(): AsyncGenerator<ReplayedRound> {
    const { rounds, pace, atOnce } = this.run;
    const isMax = pace === 'max';
    return isMax
      ? inOrder(rounds, atOnce, (recorded) => this.inZone(recorded))
      : inOrder(this.atTheirTimes(pace), pacedAtOnce, (recorded) => this.inTime(recorded));
  }

  /** Rounds of a run's zone one after the other, in the order of their decisions: which ones are stale stays as it was. */
  private inZone(recorded: RecordedRound): Promise<ReplayedRound> {
    const { tenantId, runId, zoneId } = recorded.manifest.round;
    const zone = `${runId} ${zoneKey(tenantId, zoneId)}`;
    const before = this.zones.get(zone) ?? Promise.resolve();
    const done = before.then(() => this.solve(recorded, (Date.now() + this.run.deadlineMs) as UnixMs));
    this.zones.set(
      zone,
      done.catch(() => undefined),
    );
    return done;
  }

  /** Each when it came, counted from the first. */
  private async *atTheirTimes(pace: number): AsyncGenerator<RecordedRound> {
    const startedAt = Date.now();
    let firstAt: number | null = null;
    for (const recorded of this.run.rounds) {
      firstAt ??= recorded.appendedAt;
      const due = startedAt + (recorded.appendedAt - firstAt) / pace;
      await sleepUntil(due, this.run.signal);
      yield recorded;
    }
  }

  /** With as much time as it had. */
  private inTime(recorded: RecordedRound): Promise<ReplayedRound> {
    const lead = Math.max(0, recorded.manifest.round.deadline - recorded.appendedAt);
    return this.solve(recorded, (Date.now() + lead) as UnixMs);
  }

  private async solve(recorded: RecordedRound, deadline: UnixMs): Promise<ReplayedRound> {
    this.run.signal.throwIfAborted();
    const startedAt = performance.now();
    try {
      const round = prepareRound(recorded, deadline, this.run.preparation);
      return await this.through(round, startedAt);
    } catch (error) {
      this.run.signal.throwIfAborted();
      return failedRound(recorded, error, performance.now() - startedAt);
    }
  }

  private async through(round: PreparedRound, startedAt: number): Promise<ReplayedRound> {
    const awaited = this.run.topics.await(round.manifest.round);
    try {
      const deadline = await this.send(round, awaited);
      const found = await awaited.decisionWithin(deadline - Date.now() + graceMs);
      if (found === null)
        throw new RoundhouseError('DEADLINE_EXCEEDED', `no decision ${graceMs} ms behind the deadline`);
      const { decision, appendedAt } = found;
      return {
        ...sourceOf(round.recorded),
        cutDiffers: round.cutDiffers,
        solveMs: performance.now() - startedAt,
        ...costsOf(round, decision.content),
        ...{ decision, appendedAt, error: null },
      };
    } finally {
      awaited.end();
    }
  }

  /** Resolves to the deadline that the aggregator closes by. */
  private async send({ manifest, shards, arrivals }: PreparedRound, awaited: AwaitedRound): Promise<number> {
    const { topics, pace } = this.run;
    const used = (shard: Shard) => arrivals.shards[shard.shardIndex]!;
    const solved = shards.filter((shard) => used(shard).status === 'solved');
    const unsolved = shards.filter((shard) => ['failed', 'late'].includes(used(shard).status));
    await topics.sendShards(
      solved,
      unsolved.map((shard) => unsolvedOutcome(shard, used(shard))),
    );
    const waits = pace === 'max' && arrivals.closedBy === 'deadline';
    if (waits) await awaited.outcomesOf(solved, this.run.deadlineMs);
    const sent = waits ? withDeadline(manifest, (Date.now() + shortLeadMs) as UnixMs) : manifest;
    await topics.sendManifest(sent);
    return sent.round.deadline;
  }
}

function withDeadline(manifest: RoundManifest, deadline: UnixMs): RoundManifest {
  return { ...manifest, round: { ...manifest.round, deadline } };
}
