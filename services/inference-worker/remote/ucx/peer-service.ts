import type { InferRequest, InferResponse, SlotLender } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';

export interface ServedAnswer {
  readonly response: InferResponse;
  readonly deviceKind: string;
}

/** What a worker does for another one's requests. */
export interface PeerService extends Partial<SlotLender> {
  /** Rejects with RoundhouseError. */
  infer(request: InferRequest, until: UnixMs, signal: AbortSignal): Promise<ServedAnswer>;
  /** A LoadReport. */
  load(): unknown;
}
