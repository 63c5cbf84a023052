import { RoundhouseError } from '#schemas/errors';

/** A command's answer, or DEPENDENCY_ABSENT where Redis gives none in time. */
export function inTime<T>(command: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const absent = (reason: string, cause?: unknown) =>
      reject(new RoundhouseError('DEPENDENCY_ABSENT', `Redis: ${reason}`, [], { cause }));
    const timer = setTimeout(() => absent(`no answer in ${timeoutMs} ms`), timeoutMs);
    command.then(resolve, (error: Error) => absent(error.message, error)).finally(() => clearTimeout(timer));
  });
}
