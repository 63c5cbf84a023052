import type { BusProducer } from '#lib/bus/port';
import { validateObservations } from '#policy/validation/index';
import { counted } from '#schemas/counted';
import { observationsCodec } from '#schemas/codec';
import { RoundhouseError } from '#schemas/errors';
import { zoneKey, type Topics } from '#schemas/topics';
import type { IngestEvents } from './events';

/** Puts observations on Kafka; resolves to their count when all are acknowledged. */
export async function acceptObservations(
  body: unknown,
  tenant: string | undefined,
  parts: { readonly producer: BusProducer; readonly topics: Topics; readonly events: IngestEvents },
): Promise<number> {
  const result = validateObservations(body, tenant);
  if (result.kind === 'invalid') {
    const code = result.tooLarge ? 'ROUND_TOO_LARGE' : 'PAYLOAD_INVALID';
    throw new RoundhouseError(code, `the observations have ${counted(result.count, 'fault')}`, result.faults);
  }
  const { observations } = result;
  await parts.producer.send(
    observations.map((observation) => ({
      topic: parts.topics.observations,
      key: zoneKey(observation.tenantId, observation.zoneId),
      value: observationsCodec.encode(observation),
    })),
  );
  parts.events.ObservationsAccepted({
    tenantId: observations[0]?.tenantId ?? 'default',
    count: observations.length,
  });
  return observations.length;
}
