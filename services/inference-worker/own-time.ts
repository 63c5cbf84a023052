const slices = 10;

/**
 * Calls `then` when `ms` of our own running time are over, unless it is cancelled first. Of a time in which
 * this process stood still no more than a slice counts, and what came in meanwhile is read before the call.
 */
export function afterOwnTime(ms: number, then: () => void): { cancel(): void } {
  let cancelled = false;
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    timer = setTimeout(() => {
      if (left > 1) wait(left - 1);
      else setImmediate(() => cancelled || then());
    }, ms / slices);
  };
  wait(slices);
  return {
    cancel() {
      cancelled = true;
      clearTimeout(timer);
    },
  };
}
