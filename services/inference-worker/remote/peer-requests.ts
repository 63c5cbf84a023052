import type { InferRequest, SlotLender } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { NoEngineInTime } from '../placement/placement';
import type { PeerService, ServedAnswer } from './ucx/peer-service';

const lookEveryMs = 10;

/** Other workers' requests over gRPC; at a stop those under way are answered, and new ones sent on at once. */
export class PeerRequests implements PeerService {
  private inWork = 0;
  private isLeaving = false;
  readonly lease: NonNullable<SlotLender['lease']>;

  constructor(private readonly service: PeerService) {
    this.lease = (bytes) => service.lease?.(bytes);
  }

  async infer(request: InferRequest, until: UnixMs, signal: AbortSignal): Promise<ServedAnswer> {
    if (this.isLeaving) throw new NoEngineInTime('the worker is stopping');
    this.inWork += 1;
    try {
      return await this.service.infer(request, until, signal);
    } finally {
      this.inWork -= 1;
    }
  }

  load(): unknown {
    return this.service.load();
  }

  /** Resolves when nothing is under way, or after so long. */
  async leave(mostMs: number): Promise<void> {
    this.isLeaving = true;
    const untilMs = performance.now() + mostMs;
    while (this.inWork > 0 && performance.now() < untilMs)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
