import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeVersion } from '#lib/code-version';
import { readRegularFile } from '#lib/regular-file';
import type { ModelRef } from '#schemas/domain';
import { recordingInvalid } from '../container/container-reader';

export const FORMAT = 1;
export const manifestName = 'recording.json';
export const roundsName = 'rounds.avro';

/** Limits of ingest with which rounds are cut. */
export interface CutSettings {
  readonly candidatesPerShard: number;
  readonly shardsPerRound: number;
  readonly maxShardBytes: number;
  readonly maxCandidates: number;
}

export type Origin =
  | { readonly kind: 'kafka'; readonly topicPrefix: string; readonly from: number; readonly to: number }
  | {
      readonly kind: 'mdrp' | 'meituan' | 'tables' | 'rounds';
      readonly files: readonly { readonly name: string; readonly sha256: string }[];
    };

export interface Progress {
  /** Everything before it (Unix ms) is in the recording, or waits for its decision. */
  readonly until: number;
  /** Where reading goes on after an interruption: before the oldest round that waits. */
  readonly resumeFrom: number;
  /** What counts of `rounds.avro`. */
  readonly bytes: number;
  readonly rounds: number;
  readonly notWhole: number;
}

/** What `recording.json` says of a recording. */
export interface RecordingManifest {
  readonly format: typeof FORMAT;
  readonly code: CodeVersion;
  readonly origin: Origin;
  readonly settings: CutSettings;
  /** Fingerprints of the topics' schemas (hex), which stand in the container whole. */
  readonly schemas: { readonly rounds: string; readonly outcomes: string; readonly decisions: string };
  /** Those that its rounds name. */
  readonly models: readonly ModelRef[];
  readonly deviceKinds: readonly string[];
  readonly personal: { readonly hashed: readonly string[]; readonly dropped: readonly string[] };
  readonly progress: Progress;
  readonly complete: boolean;
  /** SHA-256 (hex) of `rounds.avro`; null until it is complete. */
  readonly sha256: string | null;
}

/** Whole or not at all, whenever the process ends. */
export function writeJsonFile(file: string, value: object): void {
  const aside = `${file}.new`;
  const fd = openSync(aside, 'w');
  try {
    writeSync(fd, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(aside, file);
}

/** Parsed JSON of a file of ours; throws RECORDING_INVALID. */
export function readJsonFile(file: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readRegularFile(file).toString());
  } catch (error) {
    const why = error instanceof SyntaxError ? `is no JSON: ${error.message}` : "can't be read";
    const code = (error as NodeJS.ErrnoException).code;
    throw recordingInvalid(`${file} ${why}${code === undefined ? '' : ` (${code})`}`, error);
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
    return parsed as Record<string, unknown>;
  throw recordingInvalid(`${file} is no JSON object`);
}

export function writeManifest(folder: string, manifest: RecordingManifest): void {
  writeJsonFile(join(folder, manifestName), manifest);
}

const fields = [
  'code',
  'origin',
  'settings',
  'schemas',
  'models',
  'deviceKinds',
  'personal',
  'progress',
] as const;

/** Throws RECORDING_INVALID where the folder is no recording of this format. */
export function readManifest(folder: string): RecordingManifest {
  const file = join(folder, manifestName);
  const json = readJsonFile(file);
  if (json['format'] !== FORMAT) {
    throw recordingInvalid(`${file}: format ${JSON.stringify(json['format'])}, this version reads ${FORMAT}`);
  }
  for (const field of fields) {
    if (typeof json[field] !== 'object' || json[field] === null)
      throw recordingInvalid(`${file}: no ${field}`);
  }
  const { bytes, until, resumeFrom } = json['progress'] as Record<string, unknown>;
  if (![bytes, until, resumeFrom].every((value) => typeof value === 'number' && value >= 0)) {
    throw recordingInvalid(`${file}: progress without bytes, until and resumeFrom`);
  }
  return json as unknown as RecordingManifest;
}
