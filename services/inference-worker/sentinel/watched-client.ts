import type {
  EngineClient,
  InferRequest,
  InferResponse,
  InputLease,
  ModelState,
  SlotLender,
} from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { inputBytes } from './samples';
import type { Flight } from './work-in-flight';

/** Gets to know every request and what became of it. */
export interface RequestObserver {
  /** Milliseconds of our own running time. */
  now(): number;
  onBegin(flight: Flight): void;
  /**
   * `code`: null for a good answer. `engineIsDone`: the engine answered, or has let go of it. Called again with
   * `engineIsDone` for a request that was given up first.
   */
  onEnd(flight: Flight, code: string | null, engineIsDone: boolean, request: InferRequest): void;
}

function codeOf(error: unknown): string {
  return error instanceof RoundhouseError ? error.code : 'INTERNAL';
}

/** A client of an engine under watch. */
export class WatchedClient implements EngineClient, SlotLender {
  constructor(
    private readonly engine: EngineClient & Partial<SlotLender>,
    private readonly observer: RequestObserver,
  ) {}

  lease(bytes: number): InputLease | undefined {
    return this.engine.lease?.(bytes);
  }

  async infer(request: InferRequest, deadline: UnixMs, signal?: AbortSignal): Promise<InferResponse> {
    const { observer } = this;
    const { model, version, requestId } = request;
    const startedAtMs = observer.now();
    const timeLeftMs = Math.max(0, deadline - Date.now());
    const flight = { model, version, requestId, bytes: inputBytes(request), startedAtMs, timeLeftMs };
    let hasLetGo = false;
    let isGivenUp = false;
    const onLetGo = (): void => {
      hasLetGo = true;
      if (isGivenUp) observer.onEnd(flight, 'DEADLINE_EXCEEDED', true, request);
    };
    observer.onBegin(flight);
    try {
      const response = await this.engine.infer({ ...request, onLetGo }, deadline, signal);
      observer.onEnd(flight, null, true, request);
      return response;
    } catch (error) {
      const code = codeOf(error);
      isGivenUp = code === 'DEADLINE_EXCEEDED' && !hasLetGo;
      observer.onEnd(flight, code, !isGivenUp, request);
      throw error;
    }
  }

  isLive(): Promise<boolean> {
    return this.engine.isLive();
  }
  isReady(): Promise<boolean> {
    return this.engine.isReady();
  }
  isModelReady(model: string, version?: string): Promise<boolean> {
    return this.engine.isModelReady(model, version);
  }
  repositoryIndex(): Promise<readonly ModelState[]> {
    return this.engine.repositoryIndex();
  }
  loadModel(model: string): Promise<void> {
    return this.engine.loadModel(model);
  }
  unloadModel(model: string): Promise<void> {
    return this.engine.unloadModel(model);
  }
  close(): Promise<void> {
    return this.engine.close();
  }
}
