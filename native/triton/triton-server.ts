import { DeadlineClock } from '#lib/deadline-clock';
import { OutputSizes } from '../output-sizes';
import { endOf } from './admission';
import {
  loadBindings,
  type AdmissionStatistics,
  type DataPlaneCounts,
  type ModelWork,
  type NativeCompletion,
  type ServerHandle,
  type TritonBindings,
} from './bindings';
import { OutputPool } from './output-pool';
import type { ModelIndexEntry, TritonCall, TritonRequest, TritonResult } from './server-types';
import { settingsOf, type TritonServerOptions } from './server-settings';
import { checkInputs, tensorOf } from './tensor';
import { asTritonError, TritonError, type TritonErrorCode } from './triton-error';

interface Flight {
  readonly model: string;
  readonly arena: Buffer;
  readonly settle: { resolve(result: TritonResult): void; reject(error: Error): void };
  readonly deadlineMs: number;
  /** The caller got its answer already; the buffers are still in use. */
  abandoned: boolean;
  stopListening(): void;
}

function versionNumber(version: string | undefined): number {
  if (version === undefined || version === '') return -1;
  if (/^[1-9]\d{0,14}$/.test(version)) return Number(version);
  throw new TritonError('INVALID_ARG', `model_version: "${version}" is no positive number`);
}

/**
 * TritonCore inside this process, models under explicit control. Errors are TritonError. A request that is
 * aborted rejects at once with CANCELLED, one whose deadline passes with DEADLINE_EXCEEDED, whether it waits or
 * runs; its buffers stay reserved until the core has let go of them.
 */
export class TritonServer implements AsyncDisposable {
  private readonly flights = new Map<number, Flight>();
  private readonly pool: OutputPool;
  private readonly sizes = new OutputSizes();
  private stopping: Promise<void> | undefined;
  private handle!: ServerHandle;
  private drained: (() => void) | undefined;
  private readonly clock = new DeadlineClock((now) => this.expire(now));

  private constructor(
    private readonly bindings: TritonBindings,
    keepOutputBytes: number,
  ) {
    this.pool = new OutputPool(keepOutputBytes);
  }

  static async start(options: TritonServerOptions): Promise<TritonServer> {
    const server = new TritonServer(loadBindings(), options.keepOutputBytes ?? 16 * 1024 * 1024);
    const settings = settingsOf(options);
    server.handle = await server.ask(() =>
      server.bindings.startServer(settings, (batch) => server.onCompletions(batch)),
    );
    return server;
  }

  isLive(): boolean {
    return this.stopping === undefined && this.bindings.isLive(this.handle);
  }

  /** A backend has answered with DEVICE_FAULT, or a GPU that is watched is broken: this process serves no more. */
  get isDeviceBroken(): boolean {
    return this.bindings.deviceIsBroken();
  }
  /** Why, or an empty text. */
  get deviceFault(): string {
    return this.bindings.deviceFault();
  }

  /** False for a model or version that the repository lacks, and for all where the device is broken. */
  isModelReady(model: string, version?: string): boolean {
    if (this.isDeviceBroken) return false;
    try {
      return this.bindings.isModelReady(this.handle, model, versionNumber(version));
    } catch (error) {
      const known = asTritonError(error);
      if (known instanceof TritonError && known.code !== 'INVALID_ARG') return false;
      throw known;
    }
  }

  loadModel(model: string): Promise<void> {
    return this.ask(() => this.bindings.loadModel(this.handle, model));
  }

  /** Resolves when the unload has been asked for; requests in flight end first. */
  unloadModel(model: string): Promise<void> {
    return this.ask(() => this.bindings.unloadModel(this.handle, model));
  }

  async repositoryIndex(): Promise<readonly ModelIndexEntry[]> {
    return JSON.parse(await this.ask(() => this.bindings.repositoryIndex(this.handle))) as ModelIndexEntry[];
  }

  /** nv_inference_* and the like, in Prometheus' text format. */
  metrics(): Promise<string> {
    return this.ask(() => this.bindings.metrics(this.handle));
  }
  serverMetadata(): unknown {
    return this.json(() => this.bindings.serverMetadata(this.handle));
  }
  modelMetadata(model: string, version?: string): unknown {
    return this.json(() => this.bindings.modelMetadata(this.handle, model, versionNumber(version)));
  }
  modelConfig(model: string, version?: string): unknown {
    return this.json(() => this.bindings.modelConfig(this.handle, model, versionNumber(version)));
  }
  modelStatistics(model: string, version?: string): unknown {
    return this.json(() => this.bindings.modelStatistics(this.handle, model, versionNumber(version)));
  }

  /** Requests whose buffers are in use, answered or not. */
  get inFlight(): number {
    return this.flights.size;
  }
  /** Those that the core has, also through the data plane. */
  get openRequests(): number {
    return this.bindings.openRequests(this.handle);
  }

  /** Takes sessions of shared memory on a Unix socket (mode 0600) until it stops. `pins`: for GPUs. */
  openDataPlane(socketPath: string, pins = false): void {
    try {
      this.bindings.openDataPlane(this.handle, socketPath, pins);
    } catch (error) {
      throw asTritonError(error);
    }
  }
  /** undefined where none was opened. */
  dataPlaneCounts(): DataPlaneCounts | undefined {
    return this.bindings.dataPlaneCounts(this.handle);
  }

  /** Of both ways in. */
  admissionStatistics(): AdmissionStatistics {
    return this.bindings.admissionStatistics(this.handle);
  }
  /** What the core has of each model, and what the models made of it. */
  modelWork(): ModelWork[] {
    return this.bindings.modelWork(this.handle);
  }
  /** Models of the Python backend whose process has ended since the last call, and what a request said of it. */
  takeBrokenModels(): (readonly [model: string, message: string])[] {
    return this.bindings.takeBrokenModels(this.handle);
  }

  /** Inputs must not change before the promise is settled, and after an abort not before `inFlight` fell. */
  infer(request: TritonRequest, { signal, deadlineMs = Infinity }: TritonCall = {}): Promise<TritonResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) throw new TritonError('CANCELLED', 'the request was cancelled');
      checkInputs(request.inputs);
      const arena = this.pool.take(this.sizes.expected(request.model));
      const end = endOf(deadlineMs, request.parameters);
      const id = this.submit(request, arena, deadlineMs);
      const onAbort = (): void => this.abandon(id);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.flights.set(id, {
        model: request.model,
        arena,
        settle: { resolve, reject },
        deadlineMs: end,
        abandoned: false,
        stopListening: () => signal?.removeEventListener('abort', onAbort),
      });
      if (end < Infinity) this.clock.expect(end);
    });
  }

  /** Refuses new work, waits up to `graceMs` for requests in flight, cancels the rest and stops the core. */
  stop(graceMs = 2_000): Promise<void> {
    this.stopping ??= this.drain(graceMs).then(() =>
      this.ask(() => this.bindings.stopServer(this.handle), true),
    );
    return this.stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  private submit(request: TritonRequest, arena: Buffer, deadlineMs: number): number {
    if (this.stopping !== undefined) throw new TritonError('STOPPED', 'the server is stopped');
    try {
      const { model, requestId = '', inputs, outputs = [], parameters } = request;
      const version = versionNumber(request.version);
      const deadline = deadlineMs < Infinity ? deadlineMs : undefined;
      return this.bindings.infer(
        this.handle,
        model,
        version,
        requestId,
        inputs,
        outputs,
        arena,
        parameters,
        deadline,
      );
    } catch (error) {
      this.pool.give(arena);
      throw asTritonError(error);
    }
  }

  private abandon(id: number): void {
    const flight = this.flights.get(id);
    if (flight === undefined || flight.abandoned) return;
    flight.abandoned = true;
    const late = flight.deadlineMs <= Date.now();
    if (late) flight.settle.reject(new TritonError('DEADLINE_EXCEEDED', 'the deadline passed in the engine'));
    else flight.settle.reject(new TritonError('CANCELLED', 'the request was cancelled'));
    this.bindings.cancel(this.handle, id, late);
  }

  /** Answers what is late; when it is to be called next. */
  private expire(now: number): number {
    let next = Infinity;
    for (const [id, { deadlineMs, abandoned }] of this.flights) {
      if (abandoned) continue;
      if (deadlineMs <= now) this.abandon(id);
      else next = Math.min(next, deadlineMs);
    }
    return next;
  }

  private onCompletions(batch: readonly NativeCompletion[]): void {
    for (const completion of batch) {
      const flight = this.flights.get(completion.id);
      if (flight === undefined) continue;
      this.flights.delete(completion.id);
      flight.stopListening();
      this.settle(flight, completion);
    }
    if (this.flights.size === 0) this.drained?.();
  }

  private settle(flight: Flight, completion: NativeCompletion): void {
    if (flight.abandoned || completion.errorCode !== undefined) {
      this.pool.give(flight.arena);
      const code = (completion.errorCode ?? 'CANCELLED') as TritonErrorCode;
      const { errorMessage = '', remainingMs } = completion;
      flight.settle.reject(new TritonError(code, errorMessage, { remainingMs }));
      return;
    }
    const outputs = completion.outputs ?? [];
    this.sizes.remember(flight.model, outputs);
    let released = false;
    flight.settle.resolve({
      version: completion.version ?? '',
      outputs: outputs.map((output) => tensorOf(output, flight.arena)),
      release: () => {
        if (!released) this.pool.give(flight.arena);
        released = true;
      },
    });
  }

  private async drain(graceMs: number): Promise<void> {
    if (this.flights.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.drained = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  private async ask<T>(call: () => Promise<T>, whileStopping = false): Promise<T> {
    if (this.stopping !== undefined && !whileStopping)
      throw new TritonError('STOPPED', 'the server is stopped');
    try {
      return await call();
    } catch (error) {
      throw asTritonError(error);
    }
  }

  private json(call: () => string): unknown {
    try {
      return JSON.parse(call());
    } catch (error) {
      throw asTritonError(error);
    }
  }
}
