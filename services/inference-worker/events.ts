import { accessEvents } from '#lib/access/access-events';
import { deadLetterEvent } from '#lib/bus/dead-letter-event';
import { groupJoinedEvent } from '#lib/bus/group-joined-event';
import { clockEvents } from '#lib/clock-events';
import { labelName } from '#lib/metrics/label-space';
import { defineEvents, event, type Telemetry } from '#lib/telemetry';
import { sendPaths, type SendPath } from '#lib/engine-client/data-plane';
import { errorCodes } from '#schemas/errors';
import { outcomeStatuses } from '#schemas/domain';
import type { CircuitState } from './sentinel/circuit';
import { engineRoles, incidentKinds, type EngineRole, type IncidentKind } from './sentinel/incident';
import { tracedPhases } from '#lib/trace/traced-phase';
import { admissionEvents } from './admission/admission-events';
import { memoryEvents } from './admission/memory-events';
import { remoteEvents } from './remote/remote-events';
import { ucxEvents } from './remote/ucx/ucx-events';
import { schedulingEvents } from './scheduling/scheduling-events';

/** Why a request went through gRPC although shared memory was chosen. */
export const fallbackReasons = ['not_connected', 'too_large'] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

/** Two engines ended with it; or none was up in time. */
export const givenUpReasons = ['lost_twice', 'no_engine_in_time'] as const;
export type GivenUpReason = (typeof givenUpReasons)[number];

interface ShardIds {
  readonly runId: string;
  readonly roundId: string;
  readonly shardIndex: number;
}

const phaseBuckets = [
  0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5,
];
const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

const shardEvents = {
  ShardFinished: event<
    ShardIds & {
      status: string;
      code: string;
      model: string;
      candidates: number;
      seconds: number;
      /** Where the trace is recorded. */
      traceId?: string | undefined;
    }
  >({
    level: 'debug',
    labels: { status: outcomeStatuses, code: ['none', ...Object.keys(errorCodes)] },
    counter: { name: 'dispatch_shards_finished_total', help: 'Outcomes published, by status and code.' },
    histogram: {
      name: 'dispatch_shard_seconds',
      help: 'From the receipt of a shard to the acknowledgement of its outcome.',
      labels: ['status'],
      buckets: secondsBuckets,
      value: ({ seconds }) => seconds,
    },
  }),
  /** Of a device, as the engine says, or of the worker itself. */
  PhaseEnded: event<{ model: string; phase: string; seconds: number; traceId?: string | undefined }>({
    level: 'trace',
    labels: { model: 16, phase: tracedPhases.map(labelName) },
    histogram: {
      name: 'dispatch_shard_phase_seconds',
      help: 'Time of a phase of a shard.',
      buckets: phaseBuckets,
      value: ({ seconds }) => seconds,
    },
  }),
  /** All that a batch has in common counts once. */
  DeviceWorked: event<{ engine: string; phase: string; seconds: number }>({
    level: 'trace',
    labels: { engine: 16, phase: tracedPhases.map(labelName) },
    counter: {
      name: 'dispatch_device_busy_seconds_total',
      help: "Time in which an engine's device was in a phase for at least one shard.",
      by: ({ seconds }) => seconds,
    },
  }),
  CandidatesCosted: event<{ model: string; candidates: number }>({
    level: 'trace',
    labels: { model: 32 },
    counter: {
      name: 'dispatch_candidates_costed_total',
      help: 'Candidates in solved shards.',
      by: ({ candidates }) => candidates,
    },
  }),
  ShardDeadLettered: deadLetterEvent,
  /** No further engine gets it. */
  ShardGivenUp: event<ShardIds & { reason: GivenUpReason }>({
    level: 'error',
    labels: { reason: givenUpReasons },
    counter: { name: 'dispatch_shards_given_up_total', help: 'Shards that could not be saved, by reason.' },
  }),
  ShardResent: event<ShardIds & { code: string }>({
    level: 'warn',
    counter: {
      name: 'dispatch_shards_resent_total',
      help: 'Shards sent to the engine again after it was lost.',
    },
  }),
};

/** Whose it is, as ROUNDHOUSE_ENGINES names it. */
interface OfEngine {
  readonly engine?: string;
}

const engineEvents = {
  /** It will be started; nothing has happened to it yet. */
  EngineChosen: event<{ engine: string }>({ level: 'debug', foresees: ['engine'] }),
  EngineStarted: event<OfEngine & { enginePid: number; device: string; startSeconds: number }>({
    level: 'info',
    labels: { device: 8 },
    counter: { name: 'dispatch_engine_starts_total', help: 'Engine processes that became ready, by device.' },
  }),
  /** It takes the requests from now on. */
  EngineActivated: event<OfEngine & { enginePid: number; device: string; downSeconds: number }>({
    level: 'info',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_engine_pid',
      help: 'Process id of the active engine.',
      value: ({ enginePid }) => enginePid,
    },
    histogram: {
      name: 'dispatch_engine_down_seconds',
      help: "From the loss of an engine, or the sentinel's start, to the next one that takes requests.",
      buckets: secondsBuckets,
      value: ({ downSeconds }) => downSeconds,
    },
  }),
  EngineLost: event<OfEngine & { kind: IncidentKind; reason: string; restartInMs: number }>({
    level: 'error',
    counter: {
      name: 'dispatch_engine_losses_total',
      help: 'Active or starting engines that were given up.',
    },
  }),
  StandbyChanged: event<OfEngine & { ready: boolean }>({
    level: 'info',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_engine_standby_ready',
      help: '1 while a warm standby engine could take over.',
      value: ({ ready }) => Number(ready),
    },
  }),
  CircuitChanged: event<
    OfEngine & { state: CircuitState; reason: string; strikes: number; trialInMs: number }
  >({
    level: 'error',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_engine_circuit_open',
      help: '1 while engines keep ending and other workers have our partitions.',
      isZeroAtFirst: true,
      value: ({ state }) => Number(state !== 'closed'),
    },
  }),
  /** `end` is its signal or exit code. `file` is empty where the report could not be written, and `fault` says why. */
  IncidentReported: event<
    OfEngine & {
      kind: IncidentKind;
      role: EngineRole;
      reaction: string;
      reason: string;
      end: string;
      file: string;
      fault: string;
    }
  >({
    level: 'error',
    labels: { kind: incidentKinds, role: engineRoles },
    counter: { name: 'dispatch_engine_incidents_total', help: 'Engines that were given up, by kind.' },
  }),
  ModelOperationLost: event<OfEngine & { kind: string; model: string; reason: string }>({
    level: 'error',
    counter: {
      name: 'dispatch_engine_model_operations_lost_total',
      help: 'Loads and unloads that a new engine could not repeat.',
    },
  }),
};

const dataPlaneEvents = {
  DataPlaneOpened: event<{ epoch: number }>({
    level: 'info',
    counter: {
      name: 'dispatch_data_plane_sessions_total',
      help: 'Sessions of shared memory with an engine.',
    },
  }),
  DataPlaneLost: event<{ reason: string }>({
    level: 'warn',
    counter: { name: 'dispatch_data_plane_losses_total', help: 'Sessions that ended by the other side.' },
  }),
  /** gRPC carries the requests until a session opens. */
  DataPlaneUnavailable: event<{ reason: string }>({
    level: 'warn',
    counter: { name: 'dispatch_data_plane_unavailable_total', help: 'Sessions that could not be opened.' },
  }),
  DataPlaneFellBack: event<{ reason: FallbackReason; model: string }>({
    level: 'debug',
    labels: { reason: fallbackReasons },
    counter: { name: 'dispatch_data_plane_fallbacks_total', help: 'Requests sent through gRPC instead.' },
  }),
  DataPlaneSent: event<{ path: SendPath }>({
    level: 'trace',
    labels: { path: sendPaths },
    counter: {
      name: 'dispatch_data_plane_requests_total',
      help: 'Requests by the place of their payload; "frame_since_empty": the pool had no slot.',
    },
  }),
  PoolInUse: event<OfEngine & { bytes: number }>({
    level: 'trace',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_data_plane_pool_used_bytes',
      help: 'Shared memory in slots that are in use.',
      value: ({ bytes }) => bytes,
    },
  }),
  PoolOpened: event<OfEngine & { bytes: number }>({
    level: 'trace',
    labels: { engine: 16 },
    gauge: {
      name: 'dispatch_data_plane_pool_bytes',
      help: 'Shared memory of the session with an engine.',
      value: ({ bytes }) => bytes,
    },
  }),
  DataPlaneWaited: event<{ model: string }>({
    level: 'debug',
    counter: { name: 'dispatch_data_plane_waits_total', help: 'Requests that waited for a slot.' },
  }),
};

export function workerEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, {
    ...shardEvents,
    ...engineEvents,
    ...dataPlaneEvents,
    ...admissionEvents,
    ...memoryEvents,
    ...accessEvents,
    ...schedulingEvents,
    GroupJoined: groupJoinedEvent,
    ...clockEvents,
    ...ucxEvents,
    ...remoteEvents,
  });
}

export type WorkerEvents = ReturnType<typeof workerEvents>;
