import type { EngineClient } from '#lib/engine-client/port';

export interface ModelOperation {
  readonly kind: 'load' | 'unload';
  readonly model: string;
}

/** What it promises is awaited by whoever notes. */
type Listener = (operation: ModelOperation) => void | Promise<void>;

/**
 * The explicit loads and unloads that the active engine has carried out, the last one of each model. Every
 * new engine begins with the repository's models and gets these before it counts as warm; a standby that is
 * already warm gets each when it is noted.
 */
export class WantedModels {
  private readonly last = new Map<string, ModelOperation>();
  private readonly listeners = new Set<Listener>();

  /** Called by whoever forwarded the operation, after the active engine said that it is done. */
  async note(operation: ModelOperation): Promise<void> {
    this.last.delete(operation.model);
    this.last.set(operation.model, operation);
    await Promise.all([...this.listeners].map((listener) => listener(operation)));
  }

  /** Returns what ends it. */
  onNoted(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** In the order in which they were noted. */
  operations(): readonly ModelOperation[] {
    return [...this.last.values()];
  }
}

export async function carryOut({ kind, model }: ModelOperation, client: EngineClient): Promise<void> {
  await (kind === 'load' ? client.loadModel(model) : client.unloadModel(model));
}
