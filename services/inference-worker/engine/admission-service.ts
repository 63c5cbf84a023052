import { setTimeout as sleep } from 'node:timers/promises';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  priorityClasses,
  waitBucketsMs,
  type AdmissionStatistics,
  type DataPlaneCounts,
  type ModelWork,
} from '#native/triton/bindings';
import { gpuMemory, gpuUse, type GpuMemory, type GpuUse } from '#native/triton/gpus';
import type { TritonServer } from '#native/triton/triton-server';
import { unary } from './unary-handlers';

/** AdmissionStatistics of schemas/proto/engine.proto. */
function messageOf(statistics: AdmissionStatistics, plane: DataPlaneCounts | undefined): object {
  const priorities = priorityClasses.map((priority) => {
    const counts = statistics[priority];
    return {
      priority,
      queued_now: counts.queuedNow,
      started_at_once: counts.startedAtOnce,
      queued: counts.queued,
      started_later: counts.startedLater,
      refused_full: counts.refusedFull,
      refused_hopeless: counts.refusedHopeless,
      displaced: counts.displaced,
      late: counts.late,
      expired_queued: counts.expiredQueued,
      expired_running: counts.expiredRunning,
      cancelled_queued: counts.cancelledQueued,
      cancelled_running: counts.cancelledRunning,
      wait_seconds: counts.waitSeconds,
      waits: counts.waitBuckets.map((requests, i) => ({ up_to_ms: waitBucketsMs[i] ?? Infinity, requests })),
    };
  });
  const { queued, queuedBytes, inCore } = statistics;
  const { pinnedSessions = 0, unpinnedSessions = 0 } = plane ?? {};
  const sessions = { pinned_sessions: pinnedSessions, unpinned_sessions: unpinnedSessions };
  return { queued, queued_bytes: queuedBytes, in_core: inCore, priorities, ...sessions };
}

/** ModelWork of schemas/proto/engine.proto. */
function workMessageOf(work: ModelWork): object {
  const { workedOff, msPerKib, leftMs = Infinity, ...same } = work;
  return {
    ...same,
    version: String(work.version),
    worked_off: workedOff,
    ms_per_kib: msPerKib,
    left_ms: leftMs,
  };
}

/** GpuMemory of schemas/proto/engine.proto. */
function memoryMessageOf({ arenaPeak, ...same }: GpuMemory): object {
  return { ...same, arena_peak: arenaPeak };
}

/** The management library may not return while a GPU is lost: one question at a time, else the last answer. */
class GpuUses {
  private last: readonly GpuUse[] = [];
  private asking = false;

  async now(): Promise<readonly object[]> {
    if (!this.asking) {
      this.asking = true;
      const asked = gpuUse().then(
        (uses) => (this.last = uses),
        () => (this.last = []),
      );
      void asked.then(() => (this.asking = false));
      await Promise.race([asked, sleep(longestUseMs, undefined, { ref: false })]);
    }
    return this.last.map(({ usedBytes, sizeBytes, ...same }) => {
      return { ...same, used_bytes: usedBytes, size_bytes: sizeBytes };
    });
  }
}

const longestUseMs = 200;

export function admissionHandlers(triton: TritonServer, backends: string): UntypedServiceImplementation {
  const uses = new GpuUses();
  return {
    Admission: unary(() => messageOf(triton.admissionStatistics(), triton.dataPlaneCounts())),
    Work: unary(() => ({ models: triton.modelWork().map(workMessageOf) })),
    Memory: unary(async () => ({
      gpus: gpuMemory(backends).map(memoryMessageOf),
      uses: await uses.now(),
    })),
    Metrics: unary(async () => ({ text: await triton.metrics() })),
  };
}
