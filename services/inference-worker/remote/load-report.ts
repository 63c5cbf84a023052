import type { RemoteLoad } from '#policy/balancing/remote-load';

const longestWaitMs = 600_000;
const mostDevices = 256;

/** When its attempt was sent and its answer came, by the router's clock; and Unix time then. */
export interface ReportTimes {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly receivedUnixMs: number;
}

function devicesReady(devices: unknown): number | null {
  if (!Array.isArray(devices) || devices.length > mostDevices) return null;
  return devices.filter((one: unknown) => (one as { readonly ready?: unknown } | null)?.ready === true)
    .length;
}

/**
 * A LoadReport that came as JSON; null for what is none, or says that no device is ready. It was made between the
 * attempt and its answer, whatever its clock says.
 */
export function remoteLoadOf(report: unknown, times: ReportTimes): RemoteLoad | null {
  if (typeof report !== 'object' || report === null) return null;
  const { expectedWaitMs, devices, at } = report as Record<string, unknown>;
  const lanes = devicesReady(devices);
  if (lanes === null || lanes === 0) return null;
  if (typeof expectedWaitMs !== 'number' || !(expectedWaitMs >= 0)) return null;
  if (typeof at !== 'number' || !Number.isFinite(at)) return null;
  const { sentMs, receivedMs, receivedUnixMs } = times;
  const said = receivedMs - (receivedUnixMs - at);
  const atMs = Math.min(receivedMs, Math.max(sentMs, said));
  return { waitMs: Math.min(longestWaitMs, expectedWaitMs), lanes, atMs };
}
