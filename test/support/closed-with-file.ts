import type { ChildProcess } from 'node:child_process';
import type { Redis } from 'ioredis';

const closers: (() => unknown)[] = [];

/**
 * What a test opens is closed behind the last test of its file, also where the test failed before it closed it itself: else
 * jest waits for it for ever. `close` may come for what is closed already. What a beforeAll opens is its afterAll's, which
 * comes later.
 */
export function closedWithFile<T>(opened: T, close: (opened: T) => unknown): T {
  if (isInTest()) closers.push(() => close(opened));
  return opened;
}

/** The process, whatever it does or waits for, ends with the file's tests. */
export function killedWithFile<C extends ChildProcess>(started: C): C {
  return closedWithFile(started, (child) => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
}

/** Only where it still is: else ioredis waits two seconds for the end of a connection that has ended. */
export function disconnectedWithFile<R extends Pick<Redis, 'status' | 'disconnect'>>(client: R): R {
  return closedWithFile(client, ({ status }) => {
    if (status !== 'end') client.disconnect();
  });
}

function isInTest(): boolean {
  return typeof expect === 'function' && expect.getState().currentTestName !== undefined;
}

if (typeof afterAll === 'function') {
  afterAll(async () => {
    for (const close of closers.reverse()) {
      await Promise.resolve()
        .then(close)
        .catch(() => undefined);
    }
  });
}
