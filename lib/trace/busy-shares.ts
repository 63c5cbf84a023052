import type { Track } from './tracks';

const later = (a: bigint, b: bigint) => (a > b ? a : b);
const earlier = (a: bigint, b: bigint) => (a < b ? a : b);

/** Which part of the time between two times each resource was busy with at least one shard, by "device phase". */
export function busyShares(tracks: readonly Track[], startNs: bigint, endNs: bigint): Record<string, number> {
  const byResource = new Map<string, { startNs: bigint; endNs: bigint }[]>();
  for (const { device, phase, spans } of tracks) {
    const key = `${device} ${phase}`;
    byResource.set(key, [...(byResource.get(key) ?? []), ...spans]);
  }
  const shares: Record<string, number> = {};
  for (const [key, spans] of byResource) {
    spans.sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
    let [busy, until] = [0n, startNs];
    for (const span of spans) {
      const [from, to] = [later(span.startNs, until), earlier(span.endNs, endNs)];
      if (to <= from) continue;
      busy += to - from;
      until = to;
    }
    shares[key] = Math.round((1_000 * Number(busy)) / Number(endNs - startNs)) / 1_000;
  }
  return shares;
}
