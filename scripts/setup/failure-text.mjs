import { SetUpError } from './command.mjs';
import { projectRoot } from './places.mjs';

const reasons = {
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is beyond the disk quota',
};

const notMade = 'can not be made';

/** What a user can act on without a stack; null for a fault of ours. */
export function failureText(error, root = projectRoot) {
  if (error instanceof SetUpError) return error.message;
  const reason = error?.syscall === 'mkdir' ? (reasons[error.code] ?? notMade) : reasons[error?.code];
  if (reason === undefined) return null;
  const place = error.dest ?? error.path ?? root;
  return `${place} ${reason} (${error.code}). Everything is kept in ${root}: make it writable, or clone into a folder that is`;
}
