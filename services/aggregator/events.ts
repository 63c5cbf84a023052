import { deadLetterEvent } from '#lib/bus/dead-letter-event';
import { groupJoinedEvent } from '#lib/bus/group-joined-event';
import { clockEvents } from '#lib/clock-events';
import { defineEvents, event, type Telemetry } from '#lib/telemetry';
import { errorCodes } from '#schemas/errors';

interface RoundIds {
  readonly runId: string;
  readonly roundId: string;
}

const secondsBuckets = [0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 10];
export const outages = ['redis', 'kafka', 'aggregator'] as const;
export type Outage = (typeof outages)[number];

export interface ClosedFields extends RoundIds {
  readonly closedBy: 'complete' | 'deadline';
  readonly coverage: number;
  readonly candidates: number;
  readonly assignments: number;
  readonly unassigned: number;
  readonly gap: string;
  readonly outage: Outage | 'none';
  /** Time left until the deadline when the decision was acknowledged. */
  readonly leftMs: number;
  /** From the begin of the close to the acknowledgement. */
  readonly closeSeconds: number;
  readonly decideSeconds: number;
  /** Where the round's trace is recorded. */
  readonly traceId?: string | undefined;
}

const latencyBuckets = [
  0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30, 60,
];
/** The next below 1 is for rounds that lack a single candidate of ten thousand. */
const coverageBuckets = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.9999, 1];

/** From the manifest to the decision. */
const roundEvents = {
  RoundOpened: event<RoundIds & { shards: number; candidates: number; leftMs: number }>({
    level: 'debug',
    counter: { name: 'dispatch_rounds_opened_total', help: 'Rounds whose manifest was read.' },
  }),
  RoundClosed: event<ClosedFields>({
    level: 'info',
    labels: { closedBy: ['complete', 'deadline'], outage: ['none', ...outages] },
    counter: { name: 'dispatch_rounds_closed_total', help: 'Decisions published, by what closed them.' },
    histogram: [
      {
        name: 'dispatch_round_close_seconds',
        help: 'From the begin of the close (last outcome or deadline) to the acknowledged decision.',
        labels: ['closedBy'],
        buckets: secondsBuckets,
        value: ({ closeSeconds }) => closeSeconds,
      },
      {
        name: 'dispatch_round_coverage_ratio',
        help: "Share of a round's candidates that were computed.",
        labels: [],
        buckets: coverageBuckets,
        value: ({ coverage }) => coverage,
      },
    ],
  }),
  /** Each acknowledged decision, also one of the outbox. */
  DecisionPublished: event<
    RoundIds & {
      inTime: boolean;
      outage: Outage | 'none';
      /** From ingest's receipt of the body. */
      latencySeconds: number;
      traceId?: string | undefined;
    }
  >({
    level: 'debug',
    labels: { inTime: ['true', 'false'], outage: ['none', ...outages] },
    counter: {
      name: 'dispatch_decisions_published_total',
      help: 'Decisions acknowledged, those republished from the outbox too.',
    },
    histogram: {
      name: 'dispatch_decision_latency_seconds',
      help: "From ingest's receipt of a round's body to the acknowledged decision.",
      labels: [],
      buckets: latencyBuckets,
      value: ({ latencySeconds }) => latencySeconds,
    },
  }),
  RoundDecidedLate: event<RoundIds & { lateMs: number }>({
    level: 'warn',
    counter: {
      name: 'dispatch_decisions_late_total',
      help: 'Decisions acknowledged after their deadline without an outage to blame.',
    },
  }),
  RoundDecidedInHaste: event<RoundIds & { effort: string; candidates: number }>({
    level: 'warn',
    labels: { effort: ['reduced', 'none'] },
    counter: {
      name: 'dispatch_decisions_in_haste_total',
      help: 'Decisions for which there was no time to put the full effort in.',
    },
  }),
  RoundRepublished: event<RoundIds>({
    level: 'info',
    counter: {
      name: 'dispatch_decisions_republished_total',
      help: 'Decisions found in the outbox and published again.',
    },
  }),
  BackupFired: event<RoundIds>({
    level: 'warn',
    counter: {
      name: 'dispatch_backup_closes_total',
      help: 'Rounds closed by the backup job, not by their own instance.',
    },
  }),
  CloseBudgetChanged: event<{ budgetMs: number }>({
    level: 'debug',
    gauge: {
      name: 'dispatch_close_budget_seconds',
      help: 'Closing begins so long before a deadline.',
      value: ({ budgetMs }) => budgetMs / 1_000,
    },
  }),
};

/** Outcomes of shards. */
const outcomeEvents = {
  OutcomeReceived: event<RoundIds & { shardIndex: number; status: string; use: string }>({
    level: 'trace',
    labels: { use: ['used', 'repeated', 'invalid', 'early', 'after_close'] },
    counter: { name: 'dispatch_outcomes_received_total', help: 'Outcomes by what became of them.' },
  }),
  OutcomesRecovered: event<{ rounds: number; outcomes: number; seconds: number }>({ level: 'warn' }),
};

/** What could not be used, or not at once. */
const faultEvents = {
  RoundAbandoned: event<RoundIds & { code: string; reason: string }>({
    level: 'error',
    labels: { code: Object.keys(errorCodes) },
    counter: {
      name: 'dispatch_rounds_abandoned_total',
      help: 'Rounds whose decision can never be published.',
    },
  }),
  PlansRefused: event<RoundIds & { reason: string }>({
    level: 'error',
    counter: { name: 'dispatch_plans_refused_total', help: 'Rounds whose plans could not be decided on.' },
  }),
  /** It did not answer for so long. */
  DecidingThreadReplaced: event<{ seconds: number }>({
    level: 'error',
    counter: {
      name: 'dispatch_deciding_threads_replaced_total',
      help: 'Threads for large rounds that hung and were replaced.',
    },
  }),
  CloseRefused: event<RoundIds & { reason: string }>({
    level: 'error',
    counter: { name: 'dispatch_closes_refused_total', help: 'Decisions that Redis did not take at once.' },
  }),
  MessageDeadLettered: deadLetterEvent,
};

const outageGauge = { name: 'dispatch_outage_active', help: '1 while an outage lasts.' };

/** Redis, Kafka and the clock. */
const dependencyEvents = {
  JoinRebuilt: event<{ decisions: number; openRounds: number; seconds: number }>({
    level: 'warn',
    counter: { name: 'dispatch_join_rebuilds_total', help: 'Rebuilds after Redis had lost its memory.' },
  }),
  DecisionsRecalled: event<{ decisions: number; seconds: number }>({ level: 'info' }),
  RebuildDelayed: event<{ reason: string }>({ level: 'error' }),
  OutageBegan: event<{ outage: string }>({
    level: 'warn',
    labels: { outage: outages },
    counter: { name: 'dispatch_outages_total', help: 'Outages noticed.' },
    gauge: { ...outageGauge, value: () => 1 },
  }),
  OutageEnded: event<{ outage: string; seconds: number }>({
    level: 'warn',
    labels: { outage: outages },
    gauge: { ...outageGauge, value: () => 0 },
  }),
  GroupJoined: groupJoinedEvent,
  ...clockEvents,
};

export function aggregatorEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, { ...roundEvents, ...outcomeEvents, ...faultEvents, ...dependencyEvents });
}

export type AggregatorEvents = ReturnType<typeof aggregatorEvents>;
