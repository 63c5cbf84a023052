/** Why a run ends before its time; `exitCode` is that of a program ended by the signal. */
export class Interrupted extends Error {
  constructor(
    readonly signal: NodeJS.Signals,
    readonly exitCode: number,
  ) {
    super(`ended by ${signal}`);
  }
}

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. A reader of our
 * output that has seen enough (head) ends the run too, and is no fault.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const [signal, code] of Object.entries(codes) as [keyof typeof codes, number][]) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(code);
      controller.abort(new Interrupted(signal, code));
    });
  }
  process.stdout.on('error', () => controller.abort(new Interrupted('SIGPIPE', 0)));
  return controller.signal;
}

export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    // Keeps the process alive while nothing else does.
    const timer = setInterval(() => {}, 60_000);
    const abort = () => {
      clearInterval(timer);
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
