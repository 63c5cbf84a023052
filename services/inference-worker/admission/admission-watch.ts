import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import { loadProtocol } from '#lib/engine-client/protocol';
import type { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { growthOf, type PriorityCounts } from './admission-growth';

/** AdmissionStatistics of schemas/proto/engine.proto. */
interface AdmissionStatistics {
  readonly in_core: number;
  readonly priorities: readonly PriorityCounts[];
}

const pauseMs = 2_000;
const timeoutMs = 1_000;

/** Asks the active engine for its queue now and then, and puts what it says into the worker's metrics. */
export class AdmissionWatch {
  private readonly method = loadProtocol().engine['Admission'] as MethodDefinition<
    object,
    AdmissionStatistics
  >;
  private readonly timer: NodeJS.Timeout;
  private client: Client | null = null;
  private address: string | null = null;
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
    this.client?.close();
  }

  /** An engine that doesn't answer is the sentinel's to notice. */
  private look(): void {
    const client = this.connected();
    if (client === null) return;
    const { path, requestSerialize, responseDeserialize } = this.method;
    const options = { deadline: Date.now() + timeoutMs };
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      {},
      new Metadata(),
      options,
      (error, answer) => {
        if (error === null && client === this.client) this.record(answer!);
      },
    );
  }

  /** Another engine has another address, and counts from 0. */
  private connected(): Client | null {
    const address = this.link.address();
    if (address === this.address) return this.client;
    this.client?.close();
    this.before.clear();
    this.address = address;
    this.client = address === null ? null : new Client(address, credentials.createInsecure());
    return this.client;
  }

  private record({ in_core: requests, priorities }: AdmissionStatistics): void {
    this.events.CoreMeasured({ requests });
    for (const counts of priorities) this.recordPriority(counts);
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
