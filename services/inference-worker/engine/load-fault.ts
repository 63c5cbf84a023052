import { join } from 'node:path';

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
  return line === 0 ? `${file}: ${reason}` : `${file}:${line}:${column}: ${reason}`;
}
