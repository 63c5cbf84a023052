import { ControlOverGrpc } from '#lib/engine-client/control-over-grpc';
import type { EngineClient, InferRequest, InferResponse } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import type { UcxEvents, UcxFallbackReason } from './ucx-events';
import { UcxLink, type UcxLinkOptions } from './ucx-link';
import { SessionEnded, TooLargeForUcx } from './ucx-session';

export interface UcxEngineOptions extends Omit<UcxLinkOptions, 'events'> {
  /** To the same worker: for control, and for what UCX doesn't carry. */
  readonly grpc: EngineClient;
  readonly events: UcxLinkOptions['events'] & Pick<UcxEvents, 'UcxSent' | 'UcxFellBack'>;
}

/** Another worker's engines: tensors through UCX while it holds, through gRPC else, whichever request it is. */
class UcxEngineClient extends ControlOverGrpc implements EngineClient {
  private readonly link: UcxLink;

  constructor(private readonly options: UcxEngineOptions) {
    super(options.grpc);
    this.link = new UcxLink(options);
  }

  /**
   * A request that was under way when the connection broke goes through gRPC: it may be computed twice there, and is
   * answered once.
   */
  async infer(request: InferRequest, deadline: UnixMs, signal?: AbortSignal): Promise<InferResponse> {
    if (Date.now() >= deadline) {
      request.onLetGo?.();
      throw new RoundhouseError('DEADLINE_EXCEEDED', 'the deadline had passed before the request was sent');
    }
    const session = this.link.current();
    if (session === null) return this.fallBack('not_connected', request, deadline, signal);
    const { onLetGo, ...sent } = request;
    try {
      const answer = session.infer(sent, deadline, signal);
      this.options.events.UcxSent({ bytes: sent.inputs.reduce((sum, { data }) => sum + data.byteLength, 0) });
      const response = await answer;
      onLetGo?.();
      return response;
    } catch (error) {
      if (error instanceof SessionEnded) return this.fallBack('lost_in_flight', request, deadline, signal);
      if (error instanceof TooLargeForUcx) return this.fallBack('too_large', request, deadline, signal);
      onLetGo?.();
      throw error;
    }
  }

  private fallBack(
    reason: UcxFallbackReason,
    request: InferRequest,
    deadline: UnixMs,
    signal?: AbortSignal,
  ): Promise<InferResponse> {
    const { address: peer, events } = this.options;
    events.UcxFellBack({ peer, reason, model: request.model });
    return this.grpc.infer(request, deadline, signal);
  }

  async close(): Promise<void> {
    await this.link.close();
    await this.grpc.close();
  }
}

/** Opens the connection at once; gRPC carries the requests until it stands, and whenever it doesn't. */
export function connectOverUcx(options: UcxEngineOptions): EngineClient {
  return new UcxEngineClient(options);
}
