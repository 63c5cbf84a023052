import type { UnixMs } from '#schemas/brands';
import type { RoundManifest } from '#schemas/domain';
import { OpenRound } from '../../services/aggregator/join/open-round';

/** A round that came in time and is ours; its bytes, hash and times are none. */
export function openRoundOf(manifest: RoundManifest, key = 'key', partition?: number): OpenRound {
  return new OpenRound({
    key,
    manifest,
    manifestBytes: Buffer.alloc(0),
    manifestHash: '',
    meta: { acceptedAt: 0 as UnixMs, traceparent: null, receivedAt: null },
    closeAt: 0 as UnixMs,
    isOwned: () => true,
    cameLate: false,
    ...(partition !== undefined && { partition }),
  });
}
