import { setImmediate } from 'node:timers/promises';
import {
  candidateTable,
  offerPlan,
  offersOf,
  unpackedTable,
  withRound,
  type CandidateTable,
  type OfferPlan,
  type PlanningView,
} from '#policy/candidates/index';
import { cutCandidates, fillShards, type CutLimits, type FilledShard } from '#policy/sharding/index';
import type { DispatchRound } from '#schemas/domain';
import { PhaseClock, type Phases } from '#schemas/phases';
import { encodedMessages, messagesOf, type CutJob, type CutResult } from './cut-messages';
import type { BegunParts } from './round-parts';

interface Ahead {
  readonly limits: CutLimits;
  readonly table: CandidateTable;
  readonly shards: readonly FilledShard[];
  readonly phases: Phases;
}

/**
 * A round whose bundles other threads offer to couriers meanwhile. It is cut as far as the limits go while its claim is on the
 * way: what the claim adds, its sequence and its label, stands in no shard.
 */
export class BegunRound {
  private readonly plan: OfferPlan;
  private readonly own: CandidateTable;
  private ahead: Promise<Ahead | null> = Promise.resolve(null);

  constructor(
    private readonly view: PlanningView,
    private readonly parts: BegunParts,
  ) {
    this.plan = offerPlan(view, parts.maxCandidates);
    this.own = offersOf(view, this.plan, parts.of - 1, parts.of);
  }

  /** Once the event loop has said what was read. `limits`: those that it will most likely be cut with. */
  cutAhead(limits: CutLimits, isWanted: () => boolean): void {
    this.ahead = this.fillAhead(limits, isWanted).catch(() => null);
  }

  /** `round`: as claimed. */
  async cut(round: DispatchRound, job: CutJob): Promise<CutResult> {
    const view = withRound(round, this.view);
    const ahead = await this.ahead;
    const clock = new PhaseClock();
    if (ahead === null || !areEqual(ahead.limits, job.limits)) {
      return messagesOf(view, await this.table(view, job.limits.maxCandidates), job, clock);
    }
    const { table, shards, phases } = ahead;
    const result = encodedMessages(cutCandidates(view, table, job.models, job.limits, shards), job, clock);
    return { ...result, phases: { ...phases, ...result.phases } };
  }

  get maxCandidates(): number {
    return this.parts.maxCandidates;
  }

  private async fillAhead(limits: CutLimits, isWanted: () => boolean): Promise<Ahead | null> {
    await setImmediate();
    const clock = new PhaseClock();
    if (!isWanted() || limits.maxCandidates !== this.maxCandidates) return null;
    const table = await this.table(this.view, this.maxCandidates);
    clock.ends('candidates');
    if (!isWanted()) return null;
    const shards = fillShards(this.view, table, limits);
    clock.ends('cut');
    return { limits, table, shards, phases: clock.phases };
  }

  private async table(view: PlanningView, maxCandidates: number | undefined): Promise<CandidateTable> {
    return candidateTable(view, maxCandidates, this.plan, await this.allOffers());
  }

  /** In their order: those of the others, and the last part, made here while they were on their way. */
  private async allOffers(): Promise<CandidateTable[]> {
    const { parts, view, plan } = this;
    const others = await Promise.all(parts.offers);
    const tables = others.map((packed, part) =>
      packed === null ? offersOf(view, plan, part, parts.of) : unpackedTable(packed),
    );
    return [...tables, this.own];
  }
}

function areEqual(a: CutLimits, b: CutLimits): boolean {
  return (
    a.candidatesPerShard === b.candidatesPerShard &&
    a.shardsPerRound === b.shardsPerRound &&
    a.maxShardBytes === b.maxShardBytes &&
    a.maxCandidates === b.maxCandidates
  );
}
