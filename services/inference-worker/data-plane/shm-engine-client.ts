import { ControlOverGrpc } from '#lib/engine-client/control-over-grpc';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import type {
  EngineClient,
  InferRequest,
  InferResponse,
  InputLease,
  SlotLender,
} from '#lib/engine-client/port';
import { parameterRow } from '#lib/engine-client/request-parameters';
import { sizeClasses } from '#native/shm/size-classes';
import type { SlotLease } from '#native/shm/session-types';
import type { ShmSession } from '#native/shm/shm-session';
import type { UnixMs } from '#schemas/brands';
import type { NamedTensor } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import type { FallbackReason, WorkerEvents } from '../events';
import { LentSlots } from './lent-slots';
import { SessionKeeper } from './session-keeper';
import { isTooLarge, roundhouseErrorOfShm } from './shm-errors';

export interface ShmEngineOptions {
  /** `unix:` address of the engine; its data plane listens beside it. */
  readonly address: string;
  /** For control, and for what shared memory can't carry. */
  readonly grpc: EngineClient;
  readonly events: WorkerEvents;
  readonly poolBytes: number;
  readonly whenEmpty: 'wait' | 'inline';
  /** The engine hung up: it is dead, or as good as that. */
  readonly onHangUp?: (reason: string) => void;
}

function versionNumber(version: string): number {
  if (version === '') return -1;
  if (/^[1-9]\d{0,14}$/.test(version)) return Number(version);
  throw new RoundhouseError('PAYLOAD_INVALID', `model_version: "${version}" is no positive number`);
}

function tooLate(when: string): RoundhouseError {
  return new RoundhouseError('DEADLINE_EXCEEDED', `the deadline had passed ${when}`);
}

/** Tensors through shared memory, control through gRPC. Output data are the caller's own. */
class ShmEngineClient extends ControlOverGrpc implements EngineClient, SlotLender {
  private readonly sessions: SessionKeeper;
  private readonly lenders = new WeakMap<InputLease, ShmSession>();
  private readonly lent: LentSlots;

  constructor(private readonly options: ShmEngineOptions) {
    super(options.grpc);
    const { address, events, poolBytes, whenEmpty, onHangUp } = options;
    const classes = sizeClasses(poolBytes);
    this.lent = new LentSlots(classes);
    this.sessions = new SessionKeeper(events, {
      socketPath: dataPlaneSocket(address.replace(/^unix:/, '')),
      classes,
      whenEmpty,
      onSent: (path) => events.DataPlaneSent({ path }),
      onWait: (model) => events.DataPlaneWaited({ model }),
      ...(onHangUp === undefined ? {} : { onEnd: onHangUp }),
    });
  }

  lease(bytes: number): SlotLease | undefined {
    const session = this.sessions.now();
    const lease = this.lent.lend(bytes, () => session?.lease(bytes));
    if (lease !== undefined) this.lenders.set(lease, session!);
    return lease;
  }

  async infer(request: InferRequest, deadline: UnixMs, signal?: AbortSignal): Promise<InferResponse> {
    if (Date.now() >= deadline) {
      request.onLetGo?.();
      throw tooLate('before the request was sent');
    }
    const session = await this.sessions.current();
    if (session === null) return this.fallBack('not_connected', request, deadline, signal);
    try {
      const response = await this.inferInSession(session, request, deadline, signal);
      if (Date.now() < deadline) return response;
      response.release?.();
      throw tooLate('when the answer was read');
    } catch (error) {
      if (isTooLarge(error)) return this.fallBack('too_large', request, deadline, signal);
      throw roundhouseErrorOfShm(error, signal);
    }
  }

  private async inferInSession(
    session: ShmSession,
    {
      model,
      version,
      requestId,
      inputs,
      parameters,
      onLetGo,
      lease,
      keepOutputs: keep = false,
    }: InferRequest,
    deadlineMs: UnixMs,
    signal?: AbortSignal,
  ): Promise<InferResponse> {
    // Of another session it is memory like any other.
    const isOurs = lease !== undefined && this.lenders.get(lease) === session;
    const call = {
      deadlineMs,
      keep,
      ...(isOurs ? { lease: lease as SlotLease } : {}),
      ...(signal === undefined ? {} : { signal }),
      ...(onLetGo === undefined ? {} : { onLetGo }),
    };
    const request = {
      model,
      version: versionNumber(version),
      requestId,
      inputs,
      parameters: parameterRow(parameters),
    };
    const result = await session.infer(request, call);
    const outputs = result.outputs as readonly NamedTensor[];
    return { model, version: result.version, outputs, ...(keep ? { release: () => result.release() } : {}) };
  }

  private fallBack(
    reason: FallbackReason,
    request: InferRequest,
    deadline: UnixMs,
    signal?: AbortSignal,
  ): Promise<InferResponse> {
    this.options.events.DataPlaneFellBack({ reason, model: request.model });
    return this.grpc.infer(request, deadline, signal);
  }

  async close(): Promise<void> {
    await this.sessions.close();
    await this.grpc.close();
  }
}

/** Connects at once; gRPC carries the requests as long as there is no session. */
export function connectOverShm(options: ShmEngineOptions): EngineClient {
  return new ShmEngineClient(options);
}
