import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { UnixMs } from '#schemas/brands';
import type { BusMessage } from './port';
import type { FetchedRecord } from './record-batches';

type Batch = EachBatchPayload['batch'];

function headersOf(message: KafkaMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(message.headers ?? {})) {
    const single = Array.isArray(value) ? value[value.length - 1] : value;
    if (single !== undefined) headers[name] = single.toString();
  }
  return headers;
}

export function toBusMessage({ topic, partition }: Batch, message: KafkaMessage): BusMessage {
  const { unreadable } = message as FetchedRecord;
  return {
    ...(unreadable !== undefined && { unreadable }),
    topic,
    partition,
    offset: BigInt(message.offset),
    key: message.key,
    value: message.value,
    headers: headersOf(message),
    timestamp: Number(message.timestamp) as UnixMs,
  };
}
