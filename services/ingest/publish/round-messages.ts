import type { OutgoingMessage } from '#lib/bus/port';
import { roundsCodec, shardsCodec } from '#schemas/codec';
import type { RoundManifest, Shard } from '#schemas/domain';
import { headers, shardKey, zoneKey, type Topics } from '#schemas/topics';

export interface RoundMessages {
  readonly shards: readonly OutgoingMessage[];
  readonly manifest: OutgoingMessage;
  readonly shardBytes: number;
}

/** W3C trace context, for whoever does a part of the round. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** A cut round as it goes onto Kafka: the shards first, the manifest last. */
export function roundMessages(
  { manifest, shards }: { manifest: RoundManifest; shards: readonly Shard[] },
  topics: Topics,
  receivedAt: number,
  { traceparent, tracestate = '' }: TraceHeaders,
): RoundMessages {
  const shared = {
    [headers.traceparent]: traceparent,
    ...(tracestate !== '' && { [headers.tracestate]: tracestate }),
    [headers.receivedAt]: String(receivedAt),
  };
  const shardMessages = shards.map((shard) => ({
    topic: topics.shards,
    key: shardKey(shard),
    value: shardsCodec.encode(shard),
    headers: shared,
  }));
  return {
    shards: shardMessages,
    shardBytes: shardMessages.reduce((sum, { value }) => sum + value.length, 0),
    manifest: {
      topic: topics.rounds,
      key: zoneKey(manifest.round.tenantId, manifest.round.zoneId),
      value: roundsCodec.encode(manifest),
      headers: shared,
    },
  };
}
