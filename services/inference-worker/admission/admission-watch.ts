import type { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { growthOf, type PriorityCounts } from './admission-growth';
import { EngineService } from '#lib/engine-client/engine-service';

/** AdmissionStatistics of schemas/proto/engine.proto. */
interface AdmissionStatistics {
  readonly in_core: number;
  readonly priorities: readonly PriorityCounts[];
  readonly pinned_sessions: number;
  readonly unpinned_sessions: number;
}

const pauseMs = 2_000;
const timeoutMs = 1_000;

/** Asks the active engine for its queue now and then, and puts what it says into the worker's metrics. */
export class AdmissionWatch {
  private readonly timer: NodeJS.Timeout;
  private engine: EngineService | null = null;
  private before = new Map<string, PriorityCounts>();

  constructor(
    private readonly link: EngineLink,
    private readonly events: WorkerEvents,
    everyMs = pauseMs,
  ) {
    this.timer = setInterval(() => this.look(), everyMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.engine?.close();
  }

  /** An engine that doesn't answer is the sentinel's to notice. */
  private look(): void {
    const engine = this.connected();
    engine?.ask<AdmissionStatistics>('Admission', timeoutMs).then(
      (answer) => engine === this.engine && this.record(answer),
      () => undefined,
    );
  }

  /** Another engine has another address, and counts from 0. */
  private connected(): EngineService | null {
    const address = this.link.address();
    if (address === (this.engine?.address ?? null)) return this.engine;
    this.engine?.close();
    this.before.clear();
    this.engine = address === null ? null : new EngineService(address);
    return this.engine;
  }

  private record(answer: AdmissionStatistics): void {
    this.events.CoreMeasured({ requests: answer.in_core });
    this.events.SessionsMeasured({ memory: 'pinned', sessions: answer.pinned_sessions });
    this.events.SessionsMeasured({ memory: 'unpinned', sessions: answer.unpinned_sessions });
    for (const counts of answer.priorities) this.recordPriority(counts);
  }

  private recordPriority(counts: PriorityCounts): void {
    const { priority } = counts;
    const { ends, waits, waitSeconds } = growthOf(counts, this.before.get(priority));
    this.before.set(priority, counts);
    this.events.QueueMeasured({ priority, waiting: counts.queued_now });
    for (const [end, count] of ends) this.events.RequestsAdmitted({ priority, end, requests: count });
    for (const [wait, count] of waits) this.events.RequestsWaited({ priority, wait, requests: count });
    if (waitSeconds > 0) this.events.QueueTimeSpent({ priority, seconds: waitSeconds });
  }
}
