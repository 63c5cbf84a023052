import { basename, join } from 'node:path';
import { readRegularFile } from '#lib/regular-file';

/** Why a model is not loaded. Line and column are 1-based; 0 where only the file is known. */
export interface LoadFault {
  readonly model: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

const parseError = /Error parsing text-format [\w.]+: (\d+):(\d+): (.*)/;
const unreadable = /failed to read text proto from ([^"\n]+)/;
const pollFailure = /Poll failed for model directory '[^']*': ([^\n]*?)"?(?:\n|$)/;

/**
 * Reads the core's error and its log: the error of a model that can't be polled says only that; file, line
 * and reason stand in the log, and a parse error's position in what the parser wrote.
 */
export function loadFaultOf(repository: string, model: string, message: string, log: string): LoadFault {
  const parsed = parseError.exec(log);
  const file = unreadable.exec(log)?.[1] ?? join(repository, model, 'config.pbtxt');
  if (parsed !== null) {
    const [, line, column, reason] = parsed;
    return { model, file, line: Number(line), column: Number(column), reason: reason! };
  }
  const reason = pollFailure.exec(log)?.[1] ?? message.trim();
  return { model, file, line: 0, column: 0, reason };
}

export function describeFault({ file, line, column, reason }: LoadFault): string {
  if (file === '') return reason;
  return line === 0 ? `${file}: ${reason}` : `${file}:${line}:${column}: ${reason}`;
}

const brokenVersion = /version (\d+) is at [A-Z]+ state: ([^]*?)(?=;\s*(?:version \d+ is at|$))/g;
const jsonFault = /^([\w.-]+): JSON, byte (\d+): (.*)$/;

/** A file of ours says where it is wrong as a byte; people read lines. */
function placeIn(folder: string, reason: string): Omit<LoadFault, 'model'> {
  const [, name, byte, what] = jsonFault.exec(reason) ?? [];
  if (name === undefined) return { file: folder, line: 0, column: 0, reason };
  const file = join(folder, basename(name));
  try {
    const before = readRegularFile(file).subarray(0, Number(byte)).toString('latin1').split('\n');
    return { file, line: before.length, column: before.at(-1)!.length + 1, reason: what! };
  } catch {
    return { file, line: 0, column: 0, reason: what! };
  }
}

/** The versions that the core names in the error of a load, each with its own reason. */
export function versionFaultsOf(repository: string, model: string, message: string): Map<string, LoadFault> {
  const faults = new Map<string, LoadFault>();
  for (const [, version, words] of message.matchAll(brokenVersion)) {
    const reason = words!.replace(/^(?:[A-Z][a-z]+(?: [a-z]+)*: )?(?:MODEL_FAILED: )?/, '').trim();
    faults.set(version!, { model, ...placeIn(join(repository, model, version!), reason) });
  }
  return faults;
}
