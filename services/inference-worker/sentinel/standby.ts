import type { InferRequest } from '#lib/engine-client/port';
import { within } from '#lib/within';
import type { UnixMs } from '#schemas/brands';
import type { WorkerEvents } from '../events';
import { carryOut, type ModelOperation, type WantedModels } from './wanted-models';
import type { Samples } from './samples';
import type { WatchedEngine } from './watched-engine';

export interface StandbyOptions {
  readonly wanted: WantedModels;
  readonly samples: Samples;
  readonly operationTimeoutMs: number;
  readonly events: WorkerEvents;
  launch(): WatchedEngine;
  /** Whether the machine has room for one more. */
  hasRoom(): boolean;
}

/** The engine that took over has a backlog first. */
const startAfterMs = 300;
const firstPauseMs = 1_000;
const lastPauseMs = 30_000;
const dryRunMs = 5_000;

/** Model operations that a new engine needs, and requests to run it dry with until `enough` fires. */
export interface WarmUp {
  readonly wanted: WantedModels;
  readonly samples: readonly InferRequest[];
  readonly enough?: AbortSignal;
  /** For each operation; one that takes longer counts as lost, and the engine serves without it. */
  readonly operationTimeoutMs: number;
  readonly events: WorkerEvents;
}

/** A new engine gets what the last one had got, then the last good request of each model. */
export async function warmUp(engine: WatchedEngine, work: WarmUp): Promise<void> {
  const { wanted, samples, enough, operationTimeoutMs, events } = work;
  const client = engine.client!;
  const late = () => new Error(`not done in ${operationTimeoutMs} ms`);
  for (const operation of wanted.operations()) {
    await within(operationTimeoutMs, carryOut(operation, client), late).catch((error: unknown) =>
      events.ModelOperationLost({ ...operation, reason: String(error) }),
    );
  }
  for (const sample of samples) await dryRun(engine, sample, enough);
  engine.models = await client.repositoryIndex().catch(() => []);
}

/** What it answers doesn't matter: it has run. */
async function dryRun(engine: WatchedEngine, sample: InferRequest, enough?: AbortSignal): Promise<void> {
  if (engine.isLost || enough?.aborted === true) return;
  await engine.client!.infer(sample, (Date.now() + dryRunMs) as UnixMs, enough).catch(() => undefined);
}

/**
 * A second engine with the same models, that has run each of them through a session of its own. It is warm
 * while nothing is being done to it.
 */
export class Standby {
  private engine: WatchedEngine | null = null;
  /** Fires when the engine is needed, or no longer ours. */
  private enough = new AbortController();
  private work: Promise<void> = Promise.resolve();
  private pending = 0;
  private warm = false;
  private losses = 0;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(private readonly options: StandbyOptions) {
    options.wanted.onNoted((operation) => this.follow(operation));
  }

  holds(engine: WatchedEngine): boolean {
    return engine === this.engine;
  }
  get isWarm(): boolean {
    return this.engine !== null && this.warm && this.pending === 0;
  }

  /** After an engine became active. */
  startLater(afterMs = startAfterMs): void {
    if (this.stopped || this.engine !== null) return;
    if (this.told === null) this.say(false);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), afterMs);
  }

  private start(): void {
    this.timer = null;
    if (this.stopped || this.engine !== null) return;
    if (!this.options.hasRoom()) return this.startLater(lastPauseMs);
    this.enough = new AbortController();
    this.engine = this.options.launch();
  }

  onReady(engine: WatchedEngine): void {
    const { wanted, samples, operationTimeoutMs, events } = this.options;
    const { signal: enough } = this.enough;
    this.do(async () => {
      await warmUp(engine, { wanted, samples: samples.all(), enough, operationTimeoutMs, events });
      if (!this.holds(engine) || engine.isLost) return;
      this.warm = true;
      this.losses = 0;
    });
  }

  onLost(): void {
    this.drop();
    this.losses += 1;
    this.startLater(Math.min(lastPauseMs, firstPauseMs * 2 ** Math.min(this.losses - 1, 10)));
  }

  /** The first good request of a model is a dry run that the standby has not had. */
  onSample(sample: InferRequest): void {
    const { engine } = this;
    if (engine === null || !this.warm) return;
    const { signal: enough } = this.enough;
    this.do(() => dryRun(engine, { ...sample, requestId: 'warm-up' }, enough));
  }

  private follow(operation: ModelOperation): void {
    const { engine } = this;
    if (engine === null || engine.client === null) return;
    const { client } = engine;
    this.do(() =>
      carryOut(operation, client).catch((error: unknown) => {
        if (!this.holds(engine) || engine.isLost) return;
        this.options.events.ModelOperationLost({ ...operation, reason: String(error) });
        this.replace(engine);
      }),
    );
  }

  /** It doesn't serve what the active one serves. */
  private replace(engine: WatchedEngine): void {
    this.drop();
    void engine.stop().then(() => this.startLater());
  }

  private do(step: () => Promise<void>): void {
    this.pending += 1;
    this.work = this.work.then(step).finally(() => {
      this.pending -= 1;
      this.tell();
    });
    this.tell();
  }

  /** null: nobody wanted one yet. One that never gets warm is missing from the start on. */
  private told: boolean | null = null;
  private tell(): void {
    if (this.told !== null && this.told !== this.isWarm) this.say(this.isWarm);
  }

  private say(ready: boolean): void {
    this.told = ready;
    this.options.events.StandbyChanged({ ready });
  }

  private drop(): void {
    this.enough.abort();
    this.engine = null;
    this.warm = false;
    this.tell();
  }

  /**
   * Hands the engine over, warm or not. Dry runs end at once; `settled` resolves when the model operations are
   * done, too.
   */
  take(): { readonly engine: WatchedEngine; readonly settled: Promise<void> } | null {
    const { engine, work } = this;
    if (engine === null) return null;
    this.drop();
    return { engine, settled: work };
  }

  /** Until `startLater`. */
  async rest(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    const { engine } = this;
    this.drop();
    await engine?.stop();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.rest();
  }
}
