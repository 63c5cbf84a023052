import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#lib/make-folder';
import type { DayMetrics } from '#policy/simulation/day-metrics';
import { recordingInvalid } from '../container/container-reader';
import { readJsonFile, writeJsonFile } from '../recording/manifest-file';
import type { Point } from './points';

/** A day under a point, as it came. */
export interface SweepResult {
  readonly point: Point;
  readonly day: string;
  readonly metrics: DayMetrics;
  readonly seconds: number;
}

/** What makes results comparable: a sweep goes on only with the same. */
export interface SweepSettings {
  readonly f: number;
  readonly ready: string;
  readonly days: readonly { readonly name: string; readonly sha256: string }[];
}

const settingsName = 'sweep.json';
const resultsName = 'results.jsonl';

export const resultKey = (point: Point, day: string): string => JSON.stringify([point, day]);

/** Results of a folder, a line each; what was being written when a process ended is cut off. */
export class ResultsFile {
  private constructor(
    private readonly fd: number,
    readonly before: readonly SweepResult[],
  ) {}

  /** Throws RECORDING_INVALID where the folder holds something else, or a sweep of other days. */
  static open(folder: string, settings: SweepSettings): ResultsFile {
    const results = join(folder, resultsName);
    try {
      makeFolder(folder);
      requireSame(folder, settings);
      const fd = openSync(results, 'a+');
      return new ResultsFile(fd, readWhole(fd, results));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'RECORDING_INVALID' || code === undefined) throw error;
      throw recordingInvalid(`${folder} can't be used (${code})`, error);
    }
  }

  add(result: SweepResult): void {
    writeSync(this.fd, `${JSON.stringify(result)}\n`);
  }

  close(): void {
    fsyncSync(this.fd);
    closeSync(this.fd);
  }
}

function requireSame(folder: string, settings: SweepSettings): void {
  const file = join(folder, settingsName);
  if (!existsSync(file)) {
    if (readdirSync(folder).length > 0)
      throw recordingInvalid(`${folder} has something in it that is no sweep: choose another folder`);
    writeJsonFile(file, settings);
    return;
  }
  const before = readJsonFile(file);
  if (JSON.stringify(before) === JSON.stringify(settings)) return;
  throw recordingInvalid(
    `${folder} is a sweep of other days, or with another f or --ready: choose another folder`,
  );
}

function readWhole(fd: number, file: string): SweepResult[] {
  const bytes = readFileSync(fd);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) ftruncateSync(fd, end);
  const lines = bytes.subarray(0, end).toString().split('\n').slice(0, -1);
  return lines.map((line, at) => {
    try {
      return JSON.parse(line) as SweepResult;
    } catch (error) {
      throw recordingInvalid(`${file}:${at + 1} is no JSON: ${(error as Error).message}`, error);
    }
  });
}
