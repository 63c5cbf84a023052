import { RoundhouseError } from '#schemas/errors';
import { mostFailed } from './run-folder';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full disk',
};

/** Why a run failed, as a user reads it. */
export function failureText(error: unknown): string {
  if (error instanceof RoundhouseError) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  const { code = '', path, syscall } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? (syscall === 'mkdir' ? 'can not be made' : undefined);
  if (reason === undefined || path === undefined) return error.message;
  return `${path} ${reason} (${code}). A run keeps its data in .roundhouse/run: make it writable, or remove it if another user made it`;
}

/** Where the logs of a run that failed are, and for how long. */
export function keptLogsText(logs: string): string {
  return `The logs of this run stay in ${logs} until ${mostFailed} later ones have failed`;
}
