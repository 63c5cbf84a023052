/**
 * What comes of the work, or the error of `late` where nothing has come after so many milliseconds. The work goes on
 * then; how it ends is nobody's any more, a rejection neither.
 */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
