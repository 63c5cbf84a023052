import { statSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '#lib/config';
import type { ModelLabel, ModelLabels } from '#lib/model-labels';
import {
  loadModelRepository,
  readContentHash,
  readSoundLabels,
  repositoryOf,
  type ModelRepository,
} from '#lib/model-repository';
import { labelOfRound } from '#policy/model-label/index';
import type { ModelRef, RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { CANDIDATE_COST_MODEL } from '#schemas/tensors';
import type { IngestEvents } from '../events';

const LOOK_MS = 250;

export interface ResolvedLabel {
  readonly label: ModelLabel;
  readonly models: readonly ModelRef[];
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RoundhouseError)) return error instanceof Error ? error.message : String(error);
  return (
    error.faults.map(({ path, value, limit }) => `${path} ${value}: ${limit}`).join('; ') || error.message
  );
}

/** Every round of a label without the model that costs candidates would be refused. */
function readUsableLabels(folder: string): ModelLabels {
  const labels = readSoundLabels(folder);
  const faults = [...labels.models]
    .filter(([, versions]) => !versions.has(CANDIDATE_COST_MODEL))
    .map(([label]) => ({
      path: `labels.json: ${label}.${CANDIDATE_COST_MODEL}`,
      value: 'absent',
      limit: 'the model of all rounds',
    }));
  if (faults.length > 0) throw configError(faults);
  return labels;
}

/**
 * The labels of the model repository as its labels.json says now. A change that can't be taken keeps the old
 * ones and is reported until the file is right again; rounds see the one or the other, never a part.
 */
export class FollowedModels {
  private now: ModelRepository;
  private seen: string;
  private fault: string | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  /** Throws CONFIG_INVALID where the file is wrong at the start. */
  constructor(
    private readonly folder: string,
    private readonly events: IngestEvents,
  ) {
    this.seen = this.stamp();
    readUsableLabels(folder);
    this.now = loadModelRepository(folder);
  }

  start(): void {
    this.report();
    this.lookLater();
  }

  private lookLater(): void {
    this.timer = setTimeout(() => void this.look().then(() => !this.stopped && this.lookLater()), LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  get labels(): readonly ModelLabel[] {
    return this.now.labels;
  }

  /** Why the file that is there now isn't followed; null when it is. */
  whyNotFollowed(): string | null {
    return this.fault;
  }

  /** `named` is the label that the round names itself. */
  resolve(key: RoundKey, named: ModelLabel | undefined): ResolvedLabel {
    const label = labelOfRound(key, named, this.now.canaryShare);
    return { label, models: this.now.refsOf(label) };
  }

  /** Reads the file again when it changed since the last look, or couldn't be taken then. */
  async look(): Promise<void> {
    const stamp = this.stamp();
    if (stamp === this.seen && this.fault === null) return;
    try {
      await this.follow();
      this.fault = null;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.fault || stamp !== this.seen) this.events.ModelLabelsRefused({ reason });
      this.fault = reason;
    }
    this.seen = stamp;
  }

  private async follow(): Promise<void> {
    const labels = readUsableLabels(this.folder);
    const hashes = new Map<string, string>();
    for (const [name, version] of [...labels.models.values()].flatMap((versions) => [...versions])) {
      const path = `${name}/${version}`;
      if (!hashes.has(path)) hashes.set(path, await readContentHash(join(this.folder, path)));
    }
    this.now = repositoryOf(labels, (name, version) => hashes.get(`${name}/${version}`)!);
    this.report();
  }

  private report(): void {
    const shown = (label: ModelLabel) =>
      this.now.refsOf(label).map(({ name, version }) => `${name} ${version}`);
    const { canaryShare } = this.now;
    this.events.ModelLabelsFollowed({ stable: shown('stable'), canary: shown('canary'), canaryShare });
  }

  /** Of a file that can't be looked at, the reason: reading it says more. */
  private stamp(): string {
    const file = join(this.folder, 'labels.json');
    try {
      const found = statSync(file, { bigint: true });
      return `${found.ino}.${found.size}.${found.mtimeNs}.${found.ctimeNs}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  }
}
