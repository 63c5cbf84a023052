import type { Line } from '#policy/operations/signals';
import { errorCodes, isErrorCode } from '#schemas/errors';
import type { Series } from '../../scrape/prometheus-text';
import { ofAggregators, ofRedis, ofRounds, ofServers, ofWorkers } from './causes';

/** A counter whose growth is worth a line: one each time, and each value of its label apart. */
export interface Noteworthy {
  readonly label?: string;
  /** Where it isn't the process. */
  readonly where?: string;
  readonly line: (label: string) => readonly [Line['level'], words: string, runbook: string];
  readonly after?: readonly string[];
  /** Nothing of ours explains what is the caller's own fault. */
  readonly isOwnFault?: (label: string) => boolean;
  /** Of the series of its name, those that count; all where absent. */
  readonly isMeant?: (labels: Series['labels']) => boolean;
}

const warn =
  (words: string, runbook: string): Noteworthy['line'] =>
  (label) => ['warn', words.replace('%', label), runbook];
const bad =
  (words: string, runbook: string): Noteworthy['line'] =>
  (label) => ['bad', words.replace('%', label), runbook];

const incident = ['incident:*', 'ended:inference-worker/*', 'restarted:inference-worker/*'];

const ofIngest: Readonly<Record<string, Noteworthy>> = {
  dispatch_rounds_refused_total: {
    label: 'code',
    line: warn('refused a submission: %', 'RoundhouseRoundsRefused'),
    after: ofServers,
    isOwnFault: (code) => isErrorCode(code) && errorCodes[code].retry === 'never',
  },
  dispatch_bodies_refused_total: {
    line: warn('refused a body: too many bytes in work', 'RoundhouseIngestOverloaded'),
  },
  dispatch_requests_failed_total: {
    label: 'code',
    line: warn('failed a request: %', 'RoundhouseRequestsFailed'),
    after: ofServers,
  },
  dispatch_access_refused_total: {
    label: 'reason',
    line: warn('refused a caller: credential %', 'RoundhouseAccessRefused'),
  },
  dispatch_access_changes_refused_total: {
    line: warn('refused a change of keys or quotas', 'RoundhouseAccessChangeRefused'),
  },
  dispatch_model_labels_refused_total: {
    line: warn('refused a change of labels.json', 'RoundhouseModelLabelsRefused'),
  },
  dispatch_claims_unconfirmed_total: {
    line: warn('left an accepted round pending in Redis', 'RoundhouseClaimsUnconfirmed'),
    after: ofRedis,
  },
  dispatch_decisions_unreadable_total: {
    line: bad('found a decision that can not be decoded', 'RoundhouseDecisionsUnreadable'),
  },
};

const ofWorker: Readonly<Record<string, Noteworthy>> = {
  dispatch_shards_given_up_total: {
    label: 'reason',
    line: warn('gave a shard up: %', 'RoundhouseShardsGivenUp'),
    after: incident,
  },
  dispatch_data_plane_fallbacks_total: {
    label: 'reason',
    line: warn('sent tensors by gRPC instead of shared memory: %', 'RoundhouseDataPlaneFallback'),
    after: incident,
  },
  dispatch_gpu_memory_refusals_total: { line: warn('refused GPU memory', 'RoundhouseGpuMemoryRefused') },
  dispatch_engine_model_operations_lost_total: {
    line: warn('a new engine does not serve a model of the one before', 'RoundhouseModelOperationLost'),
    after: incident,
  },
  dispatch_ucx_peers_refused_total: {
    label: 'reason',
    line: warn('refused a UCX connection: %', 'RoundhouseUcxRefused'),
  },
};

const ofAggregator: Readonly<Record<string, Noteworthy>> = {
  dispatch_rounds_abandoned_total: {
    label: 'code',
    line: bad('abandoned a round: %', 'RoundhouseRoundsAbandoned'),
  },
  dispatch_plans_refused_total: { line: bad('could not decide on plans', 'RoundhousePlansRefused') },
  dispatch_deciding_threads_replaced_total: {
    line: warn('a deciding thread hung', 'RoundhouseDecidingThreadHung'),
  },
  dispatch_closes_refused_total: {
    line: warn('Redis refused a decision', 'RoundhouseClosesRefused'),
    after: ofRedis,
  },
  dispatch_join_rebuilds_total: {
    line: warn('rebuilt the join: Redis had lost its memory', 'RoundhouseJoinRebuilt'),
    after: ofRedis,
  },
  dispatch_decisions_in_haste_total: {
    label: 'effort',
    line: warn('decided a round with effort %', 'RoundhouseDecisionsInHaste'),
    after: ofRounds,
  },
  dispatch_backup_closes_total: {
    line: warn('closed a round by its backup', 'RoundhouseBackupCloses'),
    after: ofAggregators,
  },
};

/** What happened rather than what follows from it. */
export const causes: Readonly<Record<string, Noteworthy>> = {
  dispatch_clock_steps_total: { line: warn('its clock was set', 'RoundhouseClockStepped') },
  dispatch_dead_letters_total: {
    label: 'code',
    line: warn('dead-lettered a message: %', 'RoundhouseDeadLetters'),
  },
  ...ofIngest,
  ...ofWorker,
  ...ofAggregator,
  dispatch_tls_changes_refused_total: {
    line: warn('refused a change of certificates or keys', 'RoundhouseCertificateChangeRefused'),
  },
  dispatch_log_lines_dropped_total: { line: warn('lost a line of its log', 'RoundhouseLogLinesDropped') },
};

/** Shards that workers gave back. */
export const shardEnds: Noteworthy = {
  label: 'status',
  isMeant: ({ status }) => status === 'late' || status === 'failed',
  line: (status) =>
    status === 'late'
      ? ['warn', 'gave a shard back late', 'RoundhouseShardsLate']
      : ['warn', 'a shard failed', 'RoundhouseShardsFailing'],
  after: [...ofWorkers, 'group-behind:*'],
};

/** Every counter that is read for this. */
export const noteworthyCounters: readonly string[] = Object.keys(causes);
