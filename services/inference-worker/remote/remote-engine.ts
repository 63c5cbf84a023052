import type { ServiceError } from '@grpc/grpc-js';
import { notesOf } from '#lib/engine-client/peer-notes';
import type { EngineClient, InferResponse } from '#lib/engine-client/port';
import type { RemoteLoad } from '#policy/balancing/remote-load';
import type { UnixMs } from '#schemas/brands';
import type { RoundhouseError } from '#schemas/errors';
import { backendInterval } from '../outcome';
import type { PlacedWork } from '../placement/placement';
import { remoteLoadOf } from './load-report';
import type { ModelCheck } from './model-check';
import type { RemoteEntry } from './remote-entry';

export interface RemoteAnswer {
  readonly response: InferResponse;
  readonly deviceKind: string;
  readonly load: RemoteLoad | null;
  readonly ranMs: number | null;
  readonly thereMs: number | null;
}

const kindPattern = /^[\w .:-]{1,64}$/;
const longestMs = 600_000;

const plainMs = (ms: unknown): number | null =>
  typeof ms === 'number' && ms >= 0 && ms <= longestMs ? ms : null;

function ranMs(response: InferResponse): number | null {
  const [begin, end] = backendInterval(response)?.split('-').map(Number) ?? [];
  return begin === undefined || end === undefined ? null : plainMs((end - begin) / 1e6);
}

/** Rejects with the signal's reason as soon as it fires. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** An engine of somebody else, over whichever client carries its requests. */
export class RemoteEngine {
  constructor(
    readonly entry: RemoteEntry,
    private readonly client: EngineClient,
    private readonly models: ModelCheck,
    /** Of its gRPC side: why it has not said that it is live. */
    readonly whySilent: () => string | null = () => null,
  ) {}

  /** Rejects as an EngineClient does. `sentMs`: now, by the router's clock. */
  async infer(
    { request, size, contentHash }: PlacedWork,
    until: UnixMs,
    sentMs: number,
    signal: AbortSignal,
  ): Promise<RemoteAnswer> {
    if (contentHash !== undefined) {
      await unlessAborted(this.models.requireSame(request.model, request.version, contentHash), signal);
    }
    const { lease: _lease, keepOutputs: _keepOutputs, onLetGo: _onLetGo, ...plain } = request;
    const response = await this.client.infer({ ...plain, size }, until, signal);
    const { notes } = response;
    return {
      response,
      deviceKind: this.kindOf(notes?.deviceKind),
      load: this.loadOf(notes?.load, sentMs),
      ranMs: ranMs(response),
      thereMs: plainMs(notes?.thereMs),
    };
  }

  /** Of a refusal, where the other side said how busy it is. */
  loadOfRefusal(error: RoundhouseError, sentMs: number): RemoteLoad | null {
    return this.loadOf(notesOf((error.cause as Partial<ServiceError> | undefined)?.metadata)?.load, sentMs);
  }

  isUsable(): Promise<boolean> {
    return this.client.isLive();
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private loadOf(report: unknown, sentMs: number): RemoteLoad | null {
    return remoteLoadOf(report, { sentMs, receivedMs: performance.now(), receivedUnixMs: Date.now() });
  }

  private kindOf(said: string | undefined): string {
    if (said !== undefined && kindPattern.test(said)) return said;
    return this.entry.device === '' ? 'remote' : this.entry.device;
  }
}
