import { within } from '#lib/within';
import { RoundhouseError } from '#schemas/errors';

/** A command's answer, or DEPENDENCY_ABSENT where Redis gives none in time. */
export function inTime<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  const absent = (reason: string, cause?: unknown) =>
    new RoundhouseError('DEPENDENCY_ABSENT', `Redis: ${reason}`, [], { cause });
  const answer = command.catch((error: Error) => {
    throw absent(error.message, error);
  });
  return within(timeoutMs, answer, () => absent(`no answer in ${timeoutMs} ms`));
}
