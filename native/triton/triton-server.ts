import { DeadlineClock } from '#lib/deadline-clock';
import type { ParameterRow } from '#lib/engine-client/request-parameters';
import { admissionOf, endOf, type AdmissionLimits } from './admission';
import {
  loadBindings,
  type AdmissionStatistics,
  type DataPlaneCounts,
  type NativeCompletion,
  type NativeOutput,
  type ServerHandle,
  type TritonBindings,
} from './bindings';
import { OutputPool } from './output-pool';
import { checkInputs, type TritonTensor } from './tensor';
import { asTritonError, TritonError, type TritonErrorCode } from './triton-error';

export interface TritonServerOptions {
  /** libtritonserver.so; a process can use one. */
  readonly coreLibrary: string;
  readonly modelRepository: string;
  readonly backendDirectory: string;
  readonly serverId?: string;
  readonly repoAgentDirectory?: string;
  readonly cacheDirectory?: string;
  readonly minComputeCapability?: number;
  /** A stop that takes longer gives up. */
  readonly exitTimeoutSeconds?: number;
  readonly loadThreads?: number;
  /** Of the shared memory that the Python backend makes for each instance of a model. */
  readonly pythonRegionPrefix?: string;
  /** Idle output buffers that are kept. */
  readonly keepOutputBytes?: number;
  /** Absent: any number may wait. */
  readonly admission?: AdmissionLimits;
}

export interface TritonRequest {
  readonly model: string;
  /** Absent or empty: the model's version policy decides. */
  readonly version?: string;
  readonly requestId?: string;
  readonly inputs: readonly TritonTensor[];
  /** Absent or empty: all outputs. */
  readonly outputs?: readonly string[];
  /** `priority` and `timeout` are admission's, the others the backend's. */
  readonly parameters?: ParameterRow;
}

export interface TritonCall {
  readonly signal?: AbortSignal;
  /** Unix milliseconds. */
  readonly deadlineMs?: number;
}

export interface TritonResult {
  readonly version: string;
  /** Views of a pooled buffer: valid until `release`. */
  readonly outputs: readonly TritonTensor[];
  /** Gives the buffer back; call it once, when nothing reads the outputs any more. */
  release(): void;
}

export interface ModelIndexEntry {
  readonly name: string;
  readonly version?: string;
  readonly state?: string;
  readonly reason?: string;
}

interface Flight {
  readonly model: string;
  readonly arena: Buffer;
  readonly settle: { resolve(result: TritonResult): void; reject(error: Error): void };
  readonly deadlineMs: number;
  /** The caller got its answer already; the buffers are still in use. */
  abandoned: boolean;
  stopListening(): void;
}

const firstGuess = 64 * 1024;

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
  /** Output bytes of a model's largest answer so far. */
  private readonly outputBytes = new Map<string, number>();
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
    const settings = {
      coreLibrary: options.coreLibrary,
      serverId: options.serverId ?? 'roundhouse',
      modelRepository: options.modelRepository,
      backendDirectory: options.backendDirectory,
      repoAgentDirectory: options.repoAgentDirectory ?? options.backendDirectory,
      cacheDirectory: options.cacheDirectory ?? options.backendDirectory,
      minComputeCapability: options.minComputeCapability ?? 6,
      exitTimeoutSeconds: options.exitTimeoutSeconds ?? 5,
      loadThreads: options.loadThreads ?? 1,
      pythonRegionPrefix: options.pythonRegionPrefix ?? '',
      ...admissionOf(options.admission),
    };
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

  /** Inputs must not change before the promise is settled, and after an abort not before `inFlight` fell. */
  infer(request: TritonRequest, { signal, deadlineMs = Infinity }: TritonCall = {}): Promise<TritonResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) throw new TritonError('CANCELLED', 'the request was cancelled');
      checkInputs(request.inputs);
      const arena = this.pool.take(this.outputBytes.get(request.model) ?? firstGuess);
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
      flight.settle.reject(new TritonError(code, completion.errorMessage ?? ''));
      return;
    }
    const outputs = completion.outputs ?? [];
    this.rememberSize(flight.model, outputs);
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

  private rememberSize(model: string, outputs: readonly NativeOutput[]): void {
    const alignment = 64;
    const bytes = outputs.reduce((sum, output) => sum + output.byteLength + alignment, alignment);
    if (bytes > (this.outputBytes.get(model) ?? firstGuess)) this.outputBytes.set(model, bytes);
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

function tensorOf(output: NativeOutput, arena: Buffer): TritonTensor {
  const { name, datatype, shape, byteLength, offset, copy } = output;
  const data = copy ?? arena.subarray(offset ?? 0, (offset ?? 0) + byteLength);
  return { name, datatype, shape, data };
}
