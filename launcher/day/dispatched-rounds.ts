import type { RoundId, UnixMs } from '#schemas/brands';
import type { DecisionContent, DispatchRound } from '#schemas/domain';
import { quantile } from '#policy/simulation/statistics';
import type { DecisionReceipt, RoundhouseClient } from '../../client';
import { unsolvedRounds, type UnsolvedRounds } from './day-failure';
import { mayBeSentAgain } from './send-again';

const MAX_RESUBMISSIONS = 10;

/** How one round fared on its way. */
export interface RoundReport {
  readonly round: DispatchRound;
  readonly decision: DecisionContent;
  /** From handing the round in to holding its decision. */
  readonly decisionMs: number;
  readonly deadlineMs: number;
  /** The broker had the decision after the deadline. */
  readonly late: boolean;
  readonly outage: string | null;
}

export interface RoundTotals extends UnsolvedRounds {
  readonly rounds: number;
  readonly complete: number;
  readonly byDeadline: number;
  /** Late without an outage to account for it. */
  readonly late: number;
  readonly afterOutage: number;
  readonly decisionMsP50: number;
  readonly decisionMsP99: number;
}

/** Sends rounds through a running pipeline, one after the other, and keeps account of them. */
export class DispatchedRounds {
  private readonly reports: Omit<RoundReport, 'round'>[] = [];

  constructor(
    private readonly client: Pick<RoundhouseClient, 'dispatch'>,
    private readonly onReport: (report: RoundReport) => void,
    private readonly signal: AbortSignal,
  ) {}

  readonly dispatch = async (round: DispatchRound): Promise<DecisionContent> => {
    const startedAt = Date.now();
    const receipt = await orAborted(this.decided(round, round.deadline - startedAt), this.signal);
    const report = reportOf(round, receipt, startedAt, Date.now());
    this.reports.push(report);
    this.onReport(report);
    return report.decision;
  };

  /**
   * A round that an outage kept from being accepted in its time goes out again, as another round with a
   * deadline of its own: the day stands still meanwhile, as its simulated clock does.
   */
  private async decided(round: DispatchRound, deadlineMs: number): Promise<DecisionReceipt> {
    let sent = round;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.client.dispatch(sent);
      } catch (error) {
        if (!mayBeSentAgain(error) || attempt > MAX_RESUBMISSIONS || this.signal.aborted) throw error;
        const roundId = `${round.roundId}-again-${attempt}` as RoundId;
        sent = { ...round, roundId, deadline: (Date.now() + deadlineMs) as UnixMs };
      }
    }
  }

  totals(): RoundTotals {
    const times = this.reports.map(({ decisionMs }) => decisionMs);
    const count = (test: (report: Omit<RoundReport, 'round'>) => boolean) => this.reports.filter(test).length;
    return {
      ...unsolvedRounds(this.reports.map(({ decision }) => decision)),
      rounds: this.reports.length,
      complete: count(({ decision }) => decision.closedBy === 'complete'),
      byDeadline: count(({ decision }) => decision.closedBy === 'deadline'),
      late: count(({ late, outage }) => late && outage === null),
      afterOutage: count(({ outage }) => outage !== null),
      decisionMsP50: quantile(times, 0.5),
      decisionMsP99: quantile(times, 0.99),
    };
  }
}

function reportOf(
  round: DispatchRound,
  { decision, appendedAt, outage }: DecisionReceipt,
  startedAt: number,
  endedAt: number,
): RoundReport {
  return {
    round,
    decision: decision.content,
    decisionMs: endedAt - startedAt,
    deadlineMs: round.deadline - startedAt,
    late: appendedAt > decision.deadline,
    outage,
  };
}

/** A Ctrl-C must not wait for a decision. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
