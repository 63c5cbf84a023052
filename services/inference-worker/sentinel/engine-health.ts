import type { InferRequest } from '#lib/engine-client/port';
import type { CostEstimates } from './cost-estimates';
import type { EngineLoss } from './incident';
import { ModelFailures, type ProvenModels } from './model-failures';
import { OwnClock } from './own-clock';
import { memoryOf, type ProcessMemory } from './process-memory';
import { processorMs } from './processor-time';
import { ReportedWork, type ModelWork } from './reported-work';
import { RequestLog, type LoggedRequest } from './request-log';
import type { RequestObserver } from './watched-client';
import { WorkInFlight, type Flight, type Silence } from './work-in-flight';

export interface EngineHealthOptions {
  /** By model, as the worker's own requests took. */
  readonly costs: CostEstimates;
  /** By model and version, as engines report. */
  readonly reportedCosts: CostEstimates;
  readonly proven: ProvenModels;
  readonly silenceFloorMs: number;
  /** 0: none. */
  readonly memoryLimitBytes: number;
  onLost(loss: EngineLoss): void;
  onAnswered(request: InferRequest): void;
}

const tickMs = 50;
const ticksPerMemory = 5;
/** Reports come four times a second. */
const leastReportAgeMs = 1_000;
/** A backend has said so; others may come from the queue in front of it. */
const workedOff: readonly string[] = ['MODEL_FAILED', 'TRAVEL_MATRIX_UNKNOWN'];

function versioned({ model, version }: Flight): string {
  return `${model}/${version}`;
}

/** Watches the requests and the memory of one engine, and says when it has to go. */
export class EngineHealth implements RequestObserver {
  memory: ProcessMemory | null = null;
  private readonly clock = new OwnClock(tickMs, () => this.look());
  private readonly work: WorkInFlight;
  private readonly reported: ReportedWork;
  private readonly log = new RequestLog();
  private readonly failures: ModelFailures;
  private ticks = 0;

  constructor(
    private readonly pid: number,
    private readonly options: EngineHealthOptions,
  ) {
    // Twice: the probe alone, which needs no work done, has the floor itself.
    this.work = new WorkInFlight(options.costs, 2 * options.silenceFloorMs);
    this.reported = new ReportedWork(options.reportedCosts, 2 * options.silenceFloorMs, () =>
      processorMs(pid),
    );
    this.failures = new ModelFailures(options.proven);
  }

  now(): number {
    return this.clock.now();
  }

  close(): void {
    this.clock.close();
  }

  /** The last requests, open ones first. */
  requests(): LoggedRequest[] {
    return this.log.last(this.work.all(), this.now());
  }

  onBegin(flight: Flight): void {
    this.work.begin(flight);
  }

  onEnd(flight: Flight, code: string | null, engineIsDone: boolean, request: InferRequest): void {
    const now = this.now();
    this.log.add(flight, now, code ?? 'ok');
    if (code === 'ENGINE_LOST') return this.options.onLost({ kind: 'death', reason: 'the engine hung up' });
    if (code === null || workedOff.includes(code)) this.work.end(flight, now);
    else if (engineIsDone) this.work.forget(flight);
    if (code === 'DEVICE_FAULT') {
      return this.options.onLost({ kind: 'device_fault', reason: `${flight.model}: its device is broken` });
    }
    if (code === 'MODEL_FAILED') this.onModelFailed(flight);
    if (code !== null) return;
    this.failures.succeeded(versioned(flight));
    this.options.onAnswered(request);
  }

  private onModelFailed(flight: Flight): void {
    if (!this.failures.failed(versioned(flight), flight.requestId)) return;
    const reason = `${flight.model} ${flight.version} used to answer, and now every request fails`;
    this.options.onLost({ kind: 'model_failures', reason });
  }

  /** What the engine itself has under way, whoever sent it. */
  onReport(models: readonly ModelWork[]): void {
    const silence = this.reported.take(models, this.now());
    if (silence !== null) this.isSilent(silence);
  }

  /** Of what the engine says that it has it is judged by its reports: there may be work of others in front of ours. */
  private silenceOfOurs(now: number): Silence | null {
    const silence = this.work.silence(now);
    const mostAgeMs = Math.max(leastReportAgeMs, this.options.silenceFloorMs);
    if (silence === null || this.reported.holds(silence.model, now, mostAgeMs)) return null;
    this.work.learnFrom(silence);
    return silence;
  }

  private isSilent(silence: Silence): void {
    const { model, silentMs, budgetMs } = silence;
    const times = `${Math.round(silentMs)} ms, where ${Math.round(budgetMs)} ms are enough`;
    this.options.onLost({ kind: 'silence', reason: `no answer of ${model} for ${times}`, silence });
  }

  private look(): void {
    const silence = this.silenceOfOurs(this.now());
    if (silence !== null) return this.isSilent(silence);
    if (++this.ticks % ticksPerMemory === 0) this.lookAtMemory();
  }

  private lookAtMemory(): void {
    this.memory = memoryOf(this.pid) ?? this.memory;
    const { memoryLimitBytes: limit } = this.options;
    if (limit === 0 || this.memory === null) return;
    const own = this.memory.residentBytes - this.memory.sharedBytes;
    if (own <= limit) return;
    this.options.onLost({ kind: 'memory', reason: `${own} bytes of memory, the limit is ${limit}` });
  }
}
