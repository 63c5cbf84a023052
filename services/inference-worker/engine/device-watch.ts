import { deviceFaultExitCode } from '#lib/engine-client/exit-codes';
import type { TritonServer } from '#native/triton/triton-server';

const lookMs = 20;
/** Answers get so long to leave the process; what still runs then is lost with it. */
const mostMs = 500;

/** Ends the process, with a code of its own, when a backend has said that its device is broken. */
export function endWithDevice(triton: TritonServer): { close(): void } {
  let brokenAt: number | null = null;
  const timer = setInterval(() => {
    if (!triton.isDeviceBroken) return;
    brokenAt ??= performance.now();
    const isAnswered = triton.openRequests === 0 && performance.now() - brokenAt > lookMs;
    if (isAnswered || performance.now() - brokenAt > mostMs) process.exit(deviceFaultExitCode);
  }, lookMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
