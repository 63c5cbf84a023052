import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeVersion, type CodeVersion } from '#lib/code-version';
import { removeMade } from '#lib/make-folder';
import type { ModelRef } from '#schemas/domain';
import { quantile } from '#policy/simulation/statistics';
import { readContainer, recordingInvalid, type ReadOptions } from '../container/container-reader';
import { ContainerWriter } from '../container/container-writer';
import { FORMAT, readJsonFile, writeJsonFile } from '../recording/manifest-file';
import { requireEmpty, sha256OfFile } from '../recording/recording-writer';
import { replayedRoundType, type ReplayedRound } from './replayed-round';
import type { RunSettings } from './run-settings';

export const runName = 'run.json';
export const decisionsName = 'decisions.avro';

export interface RunSummary {
  readonly rounds: number;
  /** Of those that have a recorded decision: how many have the same content, byte for byte. */
  readonly compared: number;
  readonly equal: number;
  readonly withoutDecision: number;
  readonly late: number;
  readonly cutDiffers: number;
  readonly corruptBlocks: number;
  readonly seconds: number;
  readonly solveMsP50: number;
  readonly solveMsP99: number;
}

/** What `run.json` says. */
export interface RunManifest {
  readonly format: typeof FORMAT;
  readonly kind: 'run';
  readonly code: CodeVersion;
  readonly way: 'direct' | 'pipeline';
  readonly pace: 'max' | number;
  readonly costs: 'engine' | 'recorded';
  readonly settings: RunSettings;
  readonly recording: { readonly sha256: string | null };
  /** Those that were asked for, and the device that they ran on. */
  readonly models: readonly ModelRef[];
  readonly deviceKind: string;
  readonly summary: RunSummary;
  readonly sha256: string;
}

export type RunFacts = Omit<RunManifest, 'format' | 'kind' | 'code' | 'summary' | 'sha256'>;

/** So many times are kept: of a longer run each n-th. */
const MOST_TIMES = 100_000;

class Times {
  private readonly values: number[] = [];
  private every = 1;
  private seen = 0;

  add(value: number): void {
    if (this.seen++ % this.every !== 0) return;
    this.values.push(value);
    if (this.values.length < MOST_TIMES) return;
    this.values.splice(0, this.values.length, ...this.values.filter((_, index) => index % 2 === 0));
    this.every *= 2;
  }

  quantile(part: number): number {
    return this.values.length === 0 ? 0 : Math.round(quantile(this.values, part) * 100) / 100;
  }
}

/** Takes the rounds of a run in, in the order of the recording. */
export class RunWriter {
  private readonly container: ContainerWriter<ReplayedRound>;
  private readonly counts = { rounds: 0, compared: 0, equal: 0, withoutDecision: 0, late: 0, cutDiffers: 0 };
  private readonly times = new Times();
  private readonly startedAt = performance.now();
  private readonly made: readonly string[];

  /** Throws RECORDING_INVALID where the folder has something in it. */
  constructor(private readonly folder: string) {
    this.made = requireEmpty(folder);
    this.container = ContainerWriter.create(join(folder, decisionsName), replayedRoundType);
  }

  add(round: ReplayedRound): void {
    this.container.append(round);
    const { decision, recordedHash, appendedAt } = round;
    this.counts.rounds += 1;
    if (decision === null) this.counts.withoutDecision += 1;
    if (round.cutDiffers) this.counts.cutDiffers += 1;
    if (recordedHash !== null && decision !== null) {
      this.counts.compared += 1;
      if (decision.contentHash === recordedHash) this.counts.equal += 1;
    }
    if (decision !== null && appendedAt !== null && appendedAt > decision.deadline) this.counts.late += 1;
    this.times.add(round.solveMs);
  }

  end(facts: RunFacts, corruptBlocks: number): RunSummary {
    this.container.close();
    const summary: RunSummary = {
      ...this.counts,
      corruptBlocks,
      seconds: Math.round(performance.now() - this.startedAt) / 1_000,
      solveMsP50: this.times.quantile(0.5),
      solveMsP99: this.times.quantile(0.99),
    };
    const sha256 = sha256OfFile(join(this.folder, decisionsName));
    const manifest: RunManifest = {
      format: FORMAT,
      kind: 'run',
      code: codeVersion(),
      ...facts,
      summary,
      sha256,
    };
    writeJsonFile(join(this.folder, runName), manifest);
    return summary;
  }

  /** Nothing of it stays. */
  discard(): void {
    this.container.close();
    rmSync(join(this.folder, decisionsName), { force: true });
    removeMade(this.made);
  }
}

export function isRun(folder: string): boolean {
  return existsSync(join(folder, runName));
}

/** Throws RECORDING_INVALID where the folder has no run of this format. */
export function readRunManifest(folder: string): RunManifest {
  const file = join(folder, runName);
  const json = readJsonFile(file);
  if (json['format'] !== FORMAT || json['kind'] !== 'run') {
    throw recordingInvalid(`${file}: format ${JSON.stringify(json['format'])}, this version reads ${FORMAT}`);
  }
  return json as unknown as RunManifest;
}

export function readRun(folder: string, options?: ReadOptions): Generator<ReplayedRound> {
  return readContainer<ReplayedRound>(join(folder, decisionsName), replayedRoundType, options);
}
