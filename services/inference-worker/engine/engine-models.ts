import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelState } from '#lib/engine-client/port';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import { TritonError } from '#native/triton/triton-error';
import type { TritonServer } from '#native/triton/triton-server';
import type { EngineEvents } from './events';
import { describeFault, loadFaultOf, type LoadFault } from './load-fault';

/** Folders of a model repository that hold a model, sorted. */
export function modelsIn(repository: string): string[] {
  return readdirSync(repository, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(repository, entry.name, 'config.pbtxt')))
    .map((entry) => entry.name)
    .sort();
}

/**
 * The models of the repository under explicit control. The engine is ready when every needed model is; one
 * that doesn't load is reported and the others serve. Backends dry-run a model while it loads.
 */
export class EngineModels {
  private readonly faults = new Map<string, LoadFault>();

  constructor(
    private readonly triton: TritonServer,
    private readonly repository: string,
    /** Models that must be ready. */
    readonly needed: readonly string[],
    private readonly events: EngineEvents,
  ) {}

  async loadNeeded(): Promise<void> {
    for (const model of this.needed) {
      await this.load(model).catch((error: unknown) => {
        if (!(error instanceof RoundhouseError)) throw error;
      });
    }
  }

  async load(model: string): Promise<void> {
    this.checkName(model);
    const started = performance.now();
    try {
      await this.triton.loadModel(model);
    } catch (error) {
      if (!(error instanceof TritonError) || error.code === 'STOPPED') throw error;
      throw this.reject(loadFaultOf(this.repository, model, error.message, error.log), error);
    }
    this.faults.delete(model);
    this.events.ModelLoaded({ model, seconds: (performance.now() - started) / 1_000 });
  }

  async unload(model: string): Promise<void> {
    this.checkName(model);
    await this.triton.unloadModel(model);
    this.events.ModelUnloaded({ model });
  }

  /** null when every needed model is ready, else why not. */
  whyNotReady(): string | null {
    const missing = this.needed.filter((model) => !this.triton.isModelReady(model));
    if (missing.length === 0) return null;
    return missing.map((model) => this.reasonOf(model)).join('; ');
  }

  async index(): Promise<ModelState[]> {
    const entries = await this.triton.repositoryIndex();
    return entries
      .filter((entry) => this.isModel(entry))
      .map(({ name, version = '', state = '', reason = '' }) => {
        const fault = this.faults.get(name);
        if (fault === undefined || state === 'READY') return { name, version, state, reason };
        return { name, version, state: state || 'UNAVAILABLE', reason: describeFault(fault) };
      });
  }

  /** The core lists every folder of the repository; one without a configuration holds no model (training). */
  private isModel({ name, state = '' }: { readonly name: string; readonly state?: string }): boolean {
    return state !== '' || this.faults.has(name) || existsSync(join(this.repository, name, 'config.pbtxt'));
  }

  private reasonOf(model: string): string {
    const fault = this.faults.get(model);
    return fault === undefined ? `${model} is not loaded` : describeFault(fault);
  }

  private reject(fault: LoadFault, cause: TritonError): RoundhouseError {
    const { model, file, line, reason } = fault;
    this.faults.set(model, fault);
    this.events.ModelRejected({ model, file, line, reason });
    return new RoundhouseError('MODEL_FAILED', `${model} does not load: ${describeFault(fault)}`, [], {
      cause,
    });
  }

  /** The core joins names to paths: one that leads elsewhere never gets there. */
  private checkName(model: string): void {
    if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(model) && existsSync(join(this.repository, model))) return;
    throw new RoundhouseError('NOT_FOUND', `no model "${shownText(model, 100)}" in the repository`);
  }
}
