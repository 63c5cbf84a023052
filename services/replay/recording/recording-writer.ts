import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeVersion } from '#lib/code-version';
import { makeFolder, removeMade } from '#lib/make-folder';
import { readInPieces } from '#lib/regular-file';
import { decisionsCodec, outcomesCodec, roundsCodec } from '#schemas/codec';
import type { ModelRef } from '#schemas/domain';
import { recordingInvalid } from '../container/container-reader';
import { ContainerWriter } from '../container/container-writer';
import {
  FORMAT,
  manifestName,
  readManifest,
  roundsName,
  writeManifest,
  type CutSettings,
  type Origin,
  type RecordingManifest,
} from './manifest-file';
import { recordedRoundType, type RecordedRound } from './recorded-round';

export interface NewRecording {
  readonly origin: Origin;
  readonly settings: CutSettings;
  readonly personal: RecordingManifest['personal'];
}

export function sha256OfFile(file: string): string {
  const hash = createHash('sha256');
  readInPieces(file, { size: () => undefined, piece: (bytes) => hash.update(bytes) });
  return hash.digest('hex');
}

const modelKey = ({ name, version, contentHash }: ModelRef): string => `${name} ${version} ${contentHash}`;

/** A folder that is being filled; `recording.json` says at each checkpoint how far it counts. */
export class RecordingWriter {
  private readonly models: Map<string, ModelRef>;
  private readonly deviceKinds: Set<string>;
  private rounds: number;
  private notWhole: number;

  private constructor(
    private readonly folder: string,
    private manifest: RecordingManifest,
    private readonly container: ContainerWriter<RecordedRound>,
    private readonly made: readonly string[] = [],
  ) {
    this.models = new Map(manifest.models.map((model) => [modelKey(model), model]));
    this.deviceKinds = new Set(manifest.deviceKinds);
    ({ rounds: this.rounds, notWhole: this.notWhole } = manifest.progress);
  }

  /** Throws RECORDING_INVALID where the folder has something in it. */
  static create(folder: string, { origin, settings, personal }: NewRecording): RecordingWriter {
    const made = requireEmpty(folder);
    const from = origin.kind === 'kafka' ? origin.from : 0;
    const manifest: RecordingManifest = {
      format: FORMAT,
      code: codeVersion(),
      origin,
      settings,
      schemas: {
        rounds: roundsCodec.fingerprint,
        outcomes: outcomesCodec.fingerprint,
        decisions: decisionsCodec.fingerprint,
      },
      models: [],
      deviceKinds: [],
      personal,
      progress: { until: from, resumeFrom: from, bytes: 0, rounds: 0, notWhole: 0 },
      complete: false,
      sha256: null,
    };
    const container = ContainerWriter.create<RecordedRound>(join(folder, roundsName), recordedRoundType);
    const writer = new RecordingWriter(folder, manifest, container, made);
    writer.checkpoint(from, from);
    return writer;
  }

  /** Goes on with one that was interrupted. */
  static resume(folder: string): RecordingWriter {
    const manifest = readManifest(folder);
    const file = join(folder, roundsName);
    try {
      const container = ContainerWriter.resume<RecordedRound>(
        file,
        recordedRoundType,
        manifest.progress.bytes,
      );
      return new RecordingWriter(folder, manifest, container);
    } catch (error) {
      throw recordingInvalid(`${file} can't be gone on with: ${(error as Error).message}`, error);
    }
  }

  get progress(): RecordingManifest['progress'] {
    return this.manifest.progress;
  }

  append(round: RecordedRound): void {
    this.container.append(round);
    this.rounds += 1;
    if (round.faults.length > 0) this.notWhole += 1;
    for (const model of round.manifest.models) this.models.set(modelKey(model), model);
    for (const { outcome } of round.outcomes)
      if (outcome.deviceKind !== '') this.deviceKinds.add(outcome.deviceKind);
  }

  /** What was appended so far counts from now on, whatever happens to this process. */
  checkpoint(until: number, resumeFrom: number): void {
    const bytes = this.container.flush();
    const progress = { until, resumeFrom, bytes, rounds: this.rounds, notWhole: this.notWhole };
    this.save({ progress });
  }

  /** The recording is complete. */
  end(until: number): RecordingManifest {
    this.checkpoint(until, until);
    this.container.close();
    this.save({ complete: true, sha256: sha256OfFile(join(this.folder, roundsName)) });
    return this.manifest;
  }

  /** Without an end: what counts is as it was at the last checkpoint. */
  abandon(): void {
    this.container.close();
  }

  /** Nothing of it stays. */
  discard(): void {
    this.container.close();
    for (const name of [manifestName, roundsName]) rmSync(join(this.folder, name), { force: true });
    removeMade(this.made);
  }

  private save(changes: Partial<RecordingManifest>): void {
    const models = [...this.models.values()];
    this.manifest = { ...this.manifest, models, deviceKinds: [...this.deviceKinds], ...changes };
    writeManifest(this.folder, this.manifest);
  }
}

/** Makes the folder where it is not there; returns what was made for it. */
export function requireEmpty(folder: string): readonly string[] {
  const made = madeFor(folder);
  if (readdirSync(folder).length === 0) return made;
  throw recordingInvalid(`${folder} has something in it: choose a folder that is empty or not there`);
}

function madeFor(folder: string): readonly string[] {
  try {
    return makeFolder(folder);
  } catch (error) {
    throw recordingInvalid(
      `${folder} can't be made (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      error,
    );
  }
}

export function isRecording(folder: string): boolean {
  return existsSync(join(folder, manifestName));
}
