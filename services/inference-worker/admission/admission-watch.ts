import type { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { growthOf, type PriorityCounts } from './admission-growth';
import { EngineWatch, usualPauseMs } from './engine-watch';

/** AdmissionStatistics of schemas/proto/engine.proto. */
interface AdmissionStatistics {
  readonly in_core: number;
  readonly priorities: readonly PriorityCounts[];
  readonly pinned_sessions: number;
  readonly unpinned_sessions: number;
}

/** The active engine's queue, as the worker's metrics. */
export class AdmissionWatch extends EngineWatch<AdmissionStatistics> {
  private readonly before = new Map<string, PriorityCounts>();

  constructor(
    link: EngineLink,
    private readonly events: WorkerEvents,
    pauseMs = usualPauseMs,
  ) {
    super(link, 'Admission', pauseMs);
  }

  protected forget(): void {
    this.before.clear();
  }

  protected record(answer: AdmissionStatistics): void {
    this.events.CoreMeasured({ requests: answer.in_core });
    this.events.SessionsMeasured({ memory: 'pinned', sessions: answer.pinned_sessions });
    this.events.SessionsMeasured({ memory: 'unpinned', sessions: answer.unpinned_sessions });
    for (const counts of answer.priorities) this.recordPriority(counts);
  }

  private recordPriority(counts: PriorityCounts): void {
    const { priority } = counts;
    const { ends, waits } = growthOf(counts, this.before.get(priority));
    this.before.set(priority, counts);
    this.events.QueueMeasured({ priority, waiting: counts.queued_now });
    for (const [end, count] of ends) this.events.RequestsAdmitted({ priority, end, requests: count });
    if (waits.counts.length > 0) this.events.RequestsWaited({ priority, ...waits });
  }
}
