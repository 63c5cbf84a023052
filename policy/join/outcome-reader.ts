import type { RoundManifest, ShardOutcome } from '#schemas/domain';
import { decodeOrderTimes, type OrderTimesByIndex } from '../routing/index';
import { PlanColumns } from './plan-columns';
import { outcomeFault } from './read-outcome';

export interface ReadOutcome {
  /** Why it can't be of its round. */
  readonly fault: string | null;
  /** Null unless it is solved and without a fault. */
  readonly plans: PlanColumns | null;
  readonly times: OrderTimesByIndex;
}

const noTimes: OrderTimesByIndex = new Map();

/** Reads outcomes of one round, each once: those that come early while the others are still awaited. */
export class OutcomeReader {
  private readonly known = new WeakMap<ShardOutcome, ReadOutcome>();

  constructor(private readonly manifest: RoundManifest) {}

  read(outcome: ShardOutcome): ReadOutcome {
    const known = this.known.get(outcome);
    if (known !== undefined) return known;
    const fault = outcomeFault(this.manifest, outcome);
    const isUsable = fault === null && outcome.status === 'solved';
    const read = {
      fault,
      plans: isUsable ? new PlanColumns(outcome.plans) : null,
      times: isUsable ? decodeOrderTimes(outcome.orderTimes) : noTimes,
    };
    this.known.set(outcome, read);
    return read;
  }
}
