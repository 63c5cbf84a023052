import { shownText } from '#schemas/shown-text';
import type { TritonServer } from '#native/triton/triton-server';
import type { EngineModels } from './engine-models';
import type { EngineEvents } from './events';
import type { PythonBackend } from './python/python-backend';

export interface ModelHealingParts {
  readonly triton: Pick<TritonServer, 'takeBrokenModels'>;
  readonly models: Pick<EngineModels, 'loadAnew'>;
  readonly python: Pick<PythonBackend, 'replacing'>;
  readonly events: Pick<EngineEvents, 'ModelHealed'>;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

export const lookMs = 100;
const firstPauseMs = 1_000;
const lastPauseMs = 60_000;
/** A model that answered for so long is healed at once again. */
const forgetMs = 120_000;

/** The model of an instance that the message names (of an ensemble, the step); else the one that was asked. */
export function brokenModel(asked: string, message: string): string {
  return /Stub process '(.+)_\d+_\d+'/.exec(message)?.[1] ?? asked;
}

interface Healed {
  readonly times: number;
  readonly atMs: number;
}

/**
 * Loads a model of the Python backend anew whose process has ended: the backend starts none, and would fail every
 * request from then on. One that ends again and again waits longer each time.
 */
export class ModelHealing {
  private readonly healed = new Map<string, Healed>();
  private readonly waiting = new Map<string, NodeJS.Timeout | null>();
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: ModelHealingParts) {
    this.now = parts.now ?? (() => performance.now());
  }

  start(): void {
    this.timer = setInterval(() => this.look(), lookMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
    for (const timer of this.waiting.values()) if (timer !== null) clearTimeout(timer);
  }

  look(): void {
    for (const [asked, message] of this.parts.triton.takeBrokenModels()) {
      const model = brokenModel(asked, message);
      if (this.waiting.has(model)) continue;
      const pauseMs = this.pauseMs(model);
      const timer = pauseMs > 0 ? setTimeout(() => void this.heal(model, message), pauseMs) : null;
      this.waiting.set(model, timer);
      if (timer === null) void this.heal(model, message);
    }
  }

  private pauseMs(model: string): number {
    const last = this.healed.get(model);
    if (last === undefined) return 0;
    const since = this.now() - last.atMs;
    if (since >= forgetMs) {
      this.healed.delete(model);
      return 0;
    }
    return Math.max(0, Math.min(lastPauseMs, firstPauseMs * 2 ** (last.times - 1)) - since);
  }

  /**
   * What is wrong with a load it reports itself; the next request that fails asks for another one. A model that was
   * unloaded meanwhile stays so.
   */
  private async heal(model: string, message: string): Promise<void> {
    this.waiting.set(model, null);
    const started = this.now();
    const { models, python, events } = this.parts;
    let isServed = true;
    const fault = await python
      .replacing(async () => void (isServed = await models.loadAnew(model)))
      .then(
        () => '',
        (error: Error) => error.message,
      );
    // What failed until now is of the process that had ended.
    this.look();
    this.waiting.delete(model);
    if (!isServed) return void this.healed.delete(model);
    this.healed.set(model, { times: (this.healed.get(model)?.times ?? 0) + 1, atMs: this.now() });
    const seconds = (this.now() - started) / 1_000;
    events.ModelHealed({ model, reason: shownText(message, 300), fault, seconds });
  }
}
