import type { EngineModels } from './engine-models';
import { modelsIn, scanModel, signatureOf } from './repository-scan';

interface Seen {
  /** At the last look. */
  last: string;
  /** What was acted upon. */
  taken: string;
}

/** What became of a model's folder since the last looks. */
export type Change = 'load' | 'unload' | null;

/**
 * Takes up what changes in the repository. A folder counts when it is the same at two looks in a row, so that
 * one that is being written is left alone while it grows; one that is renamed into place is seen whole. What
 * was taken once is left alone until it changes again: a broken version is not tried for ever, and a model that
 * somebody unloaded stays so.
 */
export class RepositoryChanges {
  private readonly seen = new Map<string, Seen>();

  /** `signatures` of the models that are there at the first look, which were loaded at the start. */
  constructor(signatures: ReadonlyMap<string, string>) {
    for (const [model, signature] of signatures) this.seen.set(model, { last: signature, taken: signature });
  }

  /** The changes that count now, by model. */
  look(signatures: ReadonlyMap<string, string>): Map<string, Exclude<Change, null>> {
    const changes = new Map<string, Exclude<Change, null>>();
    for (const model of new Set([...this.seen.keys(), ...signatures.keys()])) {
      const change = this.lookAt(model, signatures.get(model) ?? '');
      if (change !== null) changes.set(model, change);
    }
    return changes;
  }

  /** '' stands for a model that isn't there. */
  private lookAt(model: string, signature: string): Change {
    const seen = this.seen.get(model) ?? { last: '', taken: '' };
    this.seen.set(model, seen);
    const settled = seen.last === signature;
    seen.last = signature;
    if (!settled || seen.taken === signature) return null;
    seen.taken = signature;
    if (signature !== '') return 'load';
    this.seen.delete(model);
    return 'unload';
  }
}

/** Looks through the repository every so often and has changes loaded. */
export class RepositoryPoll {
  private readonly changes: RepositoryChanges;
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly models: Pick<EngineModels, 'load' | 'unload'>,
    private readonly repository: string,
    /** Only these; null: all that the repository holds. */
    private readonly only: readonly string[] | null,
  ) {
    this.changes = new RepositoryChanges(this.signatures() ?? new Map<string, string>());
  }

  start(everyMs: number): void {
    this.timer = setTimeout(() => {
      this.running = this.look().then(() => {
        if (!this.stopped) this.start(everyMs);
      });
    }, everyMs);
  }

  /** Faults are reported where they are found; the next change is looked for all the same. */
  async look(): Promise<void> {
    const signatures = this.signatures();
    if (signatures === null) return;
    for (const [model, change] of this.changes.look(signatures)) {
      if (this.stopped) return;
      await this.models[change](model).catch(() => undefined);
    }
  }

  stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    return this.running;
  }

  /** null while the repository itself can't be read: nothing has changed then. */
  private signatures(): Map<string, string> | null {
    const signatures = new Map<string, string>();
    for (const model of this.listed() ?? []) {
      try {
        signatures.set(model, signatureOf(scanModel(this.repository, model)));
      } catch {
        // It goes at this moment: not there.
      }
    }
    return this.listed() === null ? null : signatures;
  }

  private listed(): readonly string[] | null {
    try {
      const there = modelsIn(this.repository);
      return this.only === null ? there : there.filter((model) => this.only!.includes(model));
    } catch {
      return null;
    }
  }
}
