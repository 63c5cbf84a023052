import type { Redis } from '#lib/redis';

/**
 * Tells of outcomes that another instance received. After a reconnect `onGap` is called, since notices of
 * the meantime are lost.
 */
export async function followOutcomeNotices(
  subscriber: Redis,
  channel: string,
  onNotice: (roundKey: string) => void,
  onGap: () => void,
): Promise<void> {
  subscriber.on('message', (_channel: string, roundKey: string) => onNotice(roundKey));
  await subscriber.subscribe(channel);
  subscriber.on('ready', onGap);
}
