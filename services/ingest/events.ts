import { accessEvents, edges, type Edge } from '#lib/access/access-events';
import { clockEvents } from '#lib/clock-events';
import { defineEvents, event, type Telemetry } from '#lib/telemetry';
import { errorCodes, type ErrorCode } from '#schemas/errors';

interface RoundFields {
  readonly tenantId: string;
  readonly runId: string;
  readonly roundId: string;
}

const codes = Object.keys(errorCodes) as ErrorCode[];
export type { Edge };

const specs = {
  RoundAccepted: event<
    RoundFields & {
      readonly edge: Edge;
      readonly zoneId: string;
      readonly shards: number;
      readonly candidates: number;
      /** From the whole body to the manifest on Kafka. */
      readonly seconds: number;
      readonly again: boolean;
      /** Where the round's trace is recorded. */
      readonly traceId?: string | undefined;
    }
  >({
    level: 'info',
    labels: { edge: edges },
    counter: { name: 'dispatch_rounds_accepted_total', help: 'Rounds whose manifest is on Kafka.' },
    histogram: {
      name: 'dispatch_round_acceptance_seconds',
      help: 'Time from the whole body of a round to its manifest on Kafka.',
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      value: ({ seconds }) => seconds,
    },
  }),
  RoundCut: event<
    RoundFields & {
      readonly candidates: number;
      readonly shards: number;
      readonly shardBytes: number;
      readonly seconds: number;
    }
  >({
    level: 'debug',
    counter: {
      name: 'dispatch_candidates_total',
      help: 'Candidates published in shards.',
      by: ({ candidates }) => candidates,
    },
    histogram: {
      name: 'dispatch_round_cut_seconds',
      help: 'Time to generate candidates, cut them into shards and encode these.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
      value: ({ seconds }) => seconds,
    },
  }),
  RoundRefused: event<{
    readonly edge: Edge;
    readonly code: ErrorCode;
    readonly reason: string;
    readonly faultCount: number;
  }>({
    level: 'warn',
    labels: { edge: edges, code: codes },
    counter: {
      name: 'dispatch_rounds_refused_total',
      help: 'Submissions that were not accepted, by error code.',
    },
  }),
  ClaimNotConfirmed: event<RoundFields & { readonly reason: string }>({
    level: 'warn',
    counter: {
      name: 'dispatch_claims_unconfirmed_total',
      help: 'Accepted rounds that Redis still has as pending; a repeated submission publishes them again.',
    },
  }),
  ObservationsAccepted: event<{ readonly tenantId: string; readonly count: number }>({
    level: 'debug',
    counter: {
      name: 'dispatch_observations_accepted_total',
      help: 'Observations on Kafka.',
      by: ({ count }) => count,
    },
  }),
  DecisionSeen: event<RoundFields & { readonly repeated: boolean }>({
    level: 'debug',
    labels: { repeated: ['true', 'false'] },
    counter: { name: 'dispatch_decisions_seen_total', help: 'Records read from dispatch.decisions.' },
  }),
  DecisionUnreadable: event<{ readonly partition: number; readonly offset: string; readonly reason: string }>(
    {
      level: 'error',
      counter: {
        name: 'dispatch_decisions_unreadable_total',
        help: 'Records of dispatch.decisions that could not be decoded.',
      },
    },
  ),
  ModelLabelsFollowed: event<{
    readonly stable: readonly string[];
    readonly canary: readonly string[];
    readonly canaryShare: number;
  }>({
    level: 'info',
    counter: {
      name: 'dispatch_model_labels_followed_total',
      help: 'Times that labels.json was taken, the start included.',
    },
    gauge: {
      name: 'dispatch_canary_share',
      help: 'Part of the rounds without a label of their own that gets canary.',
      value: ({ canaryShare }) => canaryShare,
    },
  }),
  ModelLabelsRefused: event<{ readonly reason: string }>({
    level: 'error',
    counter: {
      name: 'dispatch_model_labels_refused_total',
      help: 'Changes of labels.json that could not be taken; the old labels hold.',
    },
  }),
  ...clockEvents,
  ...accessEvents,
  ReaderRefused: event<{ readonly kind: 'stream' | 'wait'; readonly limit: 'tenant' | 'all' }>({
    level: 'debug',
    labels: { kind: ['stream', 'wait'], limit: ['tenant', 'all'] },
    counter: {
      name: 'dispatch_decision_readers_refused_total',
      help: 'Streams of decisions, and requests that would wait for one, above the limit of their tenant or of all.',
    },
  }),
  QuotaNotCharged: event<{ readonly tenantId: string; readonly reason: string }>({
    level: 'warn',
    counter: {
      name: 'dispatch_quota_charges_failed_total',
      help: "Accepted rounds whose candidates Redis did not add to their tenant's quota.",
    },
  }),
  BodyRefused: event<{ readonly bytesInWork: number }>({
    level: 'warn',
    counter: {
      name: 'dispatch_bodies_refused_total',
      help: 'Bodies refused with 503 while too many bytes of others were in work.',
    },
  }),
  RequestFailed: event<{ readonly edge: Edge; readonly code: ErrorCode; readonly reason: string }>({
    level: 'error',
    labels: { edge: edges, code: codes },
    counter: { name: 'dispatch_requests_failed_total', help: 'Requests that failed by a fault of ours.' },
  }),
};

export type IngestEvents = ReturnType<typeof ingestEvents>;

export function ingestEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, specs);
}
