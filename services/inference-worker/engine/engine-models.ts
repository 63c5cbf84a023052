import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelState } from '#lib/engine-client/port';
import { isModelName, liesInside } from '#lib/model-names';
import { readContentHash } from '#lib/model-repository';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import { TritonError } from '#native/triton/triton-error';
import type { TritonServer } from '#native/triton/triton-server';
import { ConfigBeyond } from './config-bounds';
import { stepsOf } from './ensemble';
import type { EngineEvents } from './events';
import { KnownModel, type ServedVersion } from './known-model';
import { describeFault, loadFaultOf, versionFaultsOf, type LoadFault } from './load-fault';
import { OneAtATime } from './one-at-a-time';
import { modelsIn, scanModel, type ModelFiles } from './repository-scan';
import type { PythonBackend } from './python/python-backend';
import { ViewUnwritable, type RepositoryView } from './repository-view';

/** What is wrong with a model is reported where it is found. */
function ignoreKnown(error: unknown): void {
  if (!(error instanceof RoundhouseError)) throw error;
}

/** What the file system says of files that are not there, or not what they should be. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

export interface EngineModelsParts {
  readonly triton: TritonServer;
  readonly repository: string;
  readonly view: RepositoryView;
  /** Models that must be ready. */
  readonly needed: readonly string[];
  readonly events: EngineEvents;
  readonly python?: Pick<PythonBackend, 'whyUnfit' | 'protectRegions'>;
}

/**
 * The models of the repository under explicit control. Every version folder of a model is served, so that
 * shards in flight find the version that they name; a version that doesn't load is reported, is kept out of
 * the core's sight, and the others serve. Backends dry-run a version while it loads. The engine is ready when
 * every needed model is.
 */
export class EngineModels {
  private readonly known = new Map<string, KnownModel>();
  private readonly turns = new OneAtATime();
  /** Ensembles whose steps are being loaded: one may name itself by a detour. */
  private readonly loading = new Set<string>();

  constructor(private readonly parts: EngineModelsParts) {}

  get needed(): readonly string[] {
    return this.parts.needed;
  }

  async loadNeeded(): Promise<void> {
    for (const model of this.needed) {
      await this.load(model).catch(ignoreKnown);
    }
  }

  /**
   * Brings what is served in line with the repository: new versions are loaded beside the old ones, versions
   * whose folder is gone end when their requests are over. With `again` every version is loaded anew. What
   * doesn't load is in the index; throws MODEL_FAILED when nothing that serves has changed beside it.
   */
  load(model: string, again = false): Promise<void> {
    return this.turns.run(() => this.loadNow(model, again));
  }

  /** Every version anew, of a model that still serves when its turn comes; false for one that was unloaded. */
  loadAnew(model: string): Promise<boolean> {
    return this.turns.run(async () => {
      if ((this.known.get(model)?.served.size ?? 0) === 0) return false;
      await this.loadNow(model, true);
      return true;
    });
  }

  unload(model: string): Promise<void> {
    return this.turns.run(async () => {
      // Also where its folder is gone.
      if (!this.known.has(model)) this.checkName(model);
      await this.parts.triton.unloadModel(model);
      this.known.delete(model);
      this.parts.view.remove(model);
      this.parts.events.ModelUnloaded({ model });
    });
  }

  /** null when every needed model is ready, else why not. */
  whyNotReady(): string | null {
    const missing = this.needed.filter((model) => !this.parts.triton.isModelReady(model));
    if (missing.length === 0) return null;
    return missing.map((model) => this.reasonOf(model)).join('; ');
  }

  /** SHA-256 of the version folder as it was when it was loaded; undefined for one that isn't served. */
  contentHashOf(model: string, version: string): string | undefined {
    return this.known.get(model)?.served.get(version)?.contentHash;
  }

  async index(): Promise<ModelState[]> {
    const entries = await this.parts.triton.repositoryIndex();
    const states = entries.flatMap(({ name, version = '', state = '', reason = '' }) => {
      if (state === 'READY') return [{ name, version, state, reason }];
      const known = this.known.get(name);
      const fault = known?.broken.get(version) ?? (known?.served.size === 0 ? known.fault : null);
      if (fault) return [unavailable(name, version, describeFault(fault))];
      // The core remembers every version that there ever was, and why one failed that is no more.
      const isGone = () => reason === 'unloaded' || !existsSync(join(this.parts.repository, name, version));
      const gone = state === 'UNAVAILABLE' && known !== undefined && isGone();
      return gone || state === '' ? [] : [{ name, version, state, reason }];
    });
    const all = [...states, ...this.missingIn(states)];
    return [...all, ...this.unloaded(all)];
  }

  /** The models of an ensemble come before it; what is wrong with one the core says when it loads the ensemble. */
  private async loadSteps(model: string): Promise<void> {
    this.loading.add(model);
    try {
      for (const step of stepsOf(this.parts.repository, model)) {
        const isThere = (this.known.get(step)?.served.size ?? 0) > 0;
        if (!isThere && !this.loading.has(step)) await this.loadNow(step, false).catch(ignoreKnown);
      }
    } finally {
      this.loading.delete(model);
    }
  }

  private async loadNow(model: string, again: boolean): Promise<void> {
    this.checkName(model);
    const known = this.known.get(model) ?? new KnownModel();
    this.known.set(model, known);
    known.broken.clear();
    known.fault = null;
    try {
      await this.follow(known, model, again);
    } catch (error) {
      if (error instanceof ConfigBeyond) {
        throw this.rejectAll(known, { model, file: error.file, ...error.fault });
      }
      if (error instanceof ViewUnwritable) {
        throw this.rejectAll(known, faultOf(model, error.file, error.message));
      }
      if (!isFileError(error)) throw error;
      const file = error.path ?? join(this.parts.repository, model);
      throw this.rejectAll(known, faultOf(model, file, `can't be read: ${error.message}`));
    }
  }

  private async follow(known: KnownModel, model: string, again: boolean): Promise<void> {
    const started = performance.now();
    const unfit = await this.parts.python?.whyUnfit(model);
    if (unfit) throw this.rejectAll(known, faultOf(model, '', unfit));
    await this.loadSteps(model);
    const files = scanModel(this.parts.repository, model);
    for (const [version, reason] of files.refused) {
      const fault = faultOf(model, '', reason);
      if (known.served.has(version)) throw this.rejectAll(known, fault);
      this.reject(known, version, fault);
    }
    const wanted = await this.takeSound(known, model, files);
    if (again) this.parts.view.touch(model);
    await this.serve(known, model, wanted);
    this.parts.python?.protectRegions();
    const versions = [...wanted.keys()];
    const changed = again || versions.join() !== [...known.served.keys()].join();
    known.served = wanted;
    const [first] = known.faults;
    if (first !== undefined && !changed) throw notLoaded(first, versions);
    this.parts.events.ModelLoaded({ model, versions, seconds: (performance.now() - started) / 1_000 });
  }

  /** Versions to serve. Files of a version that serves never change: it would be two under one name. */
  private async takeSound(
    known: KnownModel,
    model: string,
    { versions }: ModelFiles,
  ): Promise<Map<string, ServedVersion>> {
    const sound = new Map<string, ServedVersion>();
    for (const [version, signature] of versions) {
      const served = known.served.get(version);
      const folder = join(this.parts.repository, model, version);
      if (served?.signature === signature) {
        sound.set(version, served);
        continue;
      }
      const contentHash = await readContentHash(folder).catch((error: Error) => {
        const fault = faultOf(model, folder, `can't be read: ${error.message}`);
        if (served !== undefined) throw this.rejectAll(known, fault);
        this.reject(known, version, fault);
      });
      if (contentHash === undefined) continue;
      const same = served === undefined || contentHash === served.contentHash;
      if (!same) throw this.rejectAll(known, faultOf(model, folder, changedWhileServed));
      sound.set(version, { signature, contentHash });
    }
    return sound;
  }

  /** Loads `wanted`, less the new ones of it that don't load. What serves and doesn't load anew serves on. */
  private async serve(known: KnownModel, model: string, wanted: Map<string, ServedVersion>): Promise<void> {
    const { triton, view, repository } = this.parts;
    while (wanted.size > 0) {
      view.show(model, [...wanted.keys()]);
      try {
        return await triton.loadModel(model);
      } catch (error) {
        if (!(error instanceof TritonError) || error.code === 'STOPPED') throw error;
        const log = view.named(error.log);
        const faults = versionFaultsOf(repository, model, view.named(error.message));
        const serving = [...faults].find(([version]) => known.served.has(version));
        if (serving !== undefined) throw this.rejectAll(known, serving[1], error);
        const newOnes = [...faults].filter(([version]) => wanted.delete(version));
        for (const [version, fault] of newOnes) this.reject(known, version, fault);
        if (newOnes.length > 0) continue;
        throw this.rejectAll(known, loadFaultOf(repository, model, view.named(error.message), log), error);
      }
    }
    if (known.served.size > 0) await triton.unloadModel(model);
    known.served = wanted;
    view.remove(model);
    if (known.faults.length > 0) return;
    const folder = join(repository, model);
    throw this.rejectAll(known, faultOf(model, folder, 'no version folder (1, 2, …) in it'));
  }

  private reject(known: KnownModel, version: string, fault: LoadFault): void {
    const { model, file, line, reason } = fault;
    known.broken.set(version, fault);
    this.parts.events.ModelRejected({ model, version, file, line, reason });
  }

  /** Nothing of the model changes; what served goes on. */
  private rejectAll(known: KnownModel, fault: LoadFault, cause?: TritonError): RoundhouseError {
    const { model, file, line, reason } = fault;
    known.fault = fault;
    this.parts.events.ModelRejected({ model, version: '', file, line, reason });
    return notLoaded(fault, [...known.served.keys()], cause);
  }

  /** The core lists every folder of its view; what was refused or couldn't be shown is ours to add. */
  private missingIn(states: readonly ModelState[]): ModelState[] {
    const listed = new Set(states.map(({ name, version }) => `${name} ${version}`));
    return [...this.known].flatMap(([name, known]) => {
      const broken = [...known.broken].filter(([version]) => !listed.has(`${name} ${version}`));
      const rows = broken.map(([version, fault]) => unavailable(name, version, describeFault(fault)));
      const fault = known.fault;
      if (fault === null) return rows;
      const shown = known.served.size > 0 || !states.some((state) => state.name === name);
      return shown ? [...rows, unavailable(name, '', describeFault(fault))] : rows;
    });
  }

  private unloaded(states: readonly ModelState[]): ModelState[] {
    const listed = new Set(states.map(({ name }) => name));
    const absent = modelsIn(this.parts.repository).filter((name) => !listed.has(name));
    return absent.map((name) => ({ name, version: '', state: '', reason: '' }));
  }

  private reasonOf(model: string): string {
    const faults = this.known.get(model)?.faults ?? [];
    return faults.length === 0 ? `${model} is not loaded` : faults.map(describeFault).join('; ');
  }

  /** The core joins names to paths: one that leads elsewhere never gets there. */
  private checkName(model: string): void {
    const { repository } = this.parts;
    if (isModelName(model) && liesInside(repository, join(repository, model))) return;
    throw new RoundhouseError('NOT_FOUND', `no model "${shownText(model, 100)}" in the repository`);
  }
}

const changedWhileServed =
  'the files of this version changed after it was loaded; put the old ones back and publish a new version';

function faultOf(model: string, file: string, reason: string): LoadFault {
  return { model, file, line: 0, column: 0, reason };
}

function unavailable(name: string, version: string, reason: string): ModelState {
  return { name, version, state: 'UNAVAILABLE', reason };
}

function notLoaded(fault: LoadFault, served: readonly string[], cause?: TritonError): RoundhouseError {
  const rest = served.length === 0 ? '' : ` (version ${served.join(', ')} serves on)`;
  const message = `${fault.model} does not load: ${describeFault(fault)}${rest}`;
  return new RoundhouseError('MODEL_FAILED', message, [], { cause });
}
