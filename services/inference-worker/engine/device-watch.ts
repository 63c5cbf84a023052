import { deviceFaultExitCode } from '#lib/engine-client/exit-codes';
import { watchGpus } from '#native/triton/gpus';
import type { TritonServer } from '#native/triton/triton-server';
import type { Devices } from './devices/use-devices';
import type { EngineEvents } from './events';

const lookMs = 20;
/** A GPU that is lost is noticed within this, without a request. */
const watchMs = 250;
/** Answers get so long to leave the process; what still runs then is lost with it. */
const mostMs = 500;

/** Ends the process, with a code of its own, when a backend or the watch has said that its device is broken. */
export function endWithDevice(
  triton: TritonServer,
  devices: Devices,
  events: EngineEvents,
): { close(): void } {
  if (devices.gpus.length > 0) watchGpus(watchMs);
  let brokenAt: number | null = null;
  const timer = setInterval(() => {
    if (!triton.isDeviceBroken) return;
    if (brokenAt === null) {
      brokenAt = performance.now();
      events.DeviceBroken({ reason: triton.deviceFault });
      process.stderr.write(`DEVICE_FAULT: ${triton.deviceFault}\n`);
    }
    const isAnswered = triton.openRequests === 0 && performance.now() - brokenAt > lookMs;
    if (isAnswered || performance.now() - brokenAt > mostMs) process.exit(deviceFaultExitCode);
  }, lookMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}
