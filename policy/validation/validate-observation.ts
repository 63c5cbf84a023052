import type { CourierId, OrderId, RunId, Seconds, TenantId, ZoneId } from '#schemas/brands';
import type { Observation } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { FaultList } from './fault-list';
import { Fields } from './fields';
import { MAX_TIME, SECONDS_END } from './limits';

export type ObservationsValidation =
  | { readonly kind: 'valid'; readonly observations: readonly Observation[] }
  | {
      readonly kind: 'invalid';
      readonly faults: readonly Fault[];
      readonly count: number;
      readonly tooLarge: boolean;
    };

const kinds = ['picked_up', 'dropped_off', 'refused', 'cancelled'] as const;
const MAX_OBSERVATIONS = 1_000;

function readTime(fields: Fields): Seconds {
  const at = fields.integer('at', { min: -MAX_TIME, max: MAX_TIME }) as Seconds;
  if (at >= SECONDS_END)
    fields.fault('at', at, 'whole seconds, on the clock of asOf: these are milliseconds');
  return at;
}

function readObservation(fields: Fields, tenant: string | undefined): Observation {
  const tenantId = fields.tenant(tenant) as TenantId;
  const courierId = fields.has('courierId') ? fields.id('courierId') : (fields.raw('courierId') ?? null);
  return {
    tenantId,
    runId: fields.id('runId', 'live') as RunId,
    zoneId: fields.id('zoneId', 'default') as ZoneId,
    orderId: fields.id('orderId') as OrderId,
    courierId: courierId as CourierId | null,
    kind: fields.oneOf('kind', kinds),
    at: readTime(fields),
  };
}

/** `{observations: […]}`, untrusted, or all faults at once. */
export function validateObservations(body: unknown, tenant: string | undefined): ObservationsValidation {
  const faults = new FaultList();
  const fields = new Fields(body ?? null, '', faults);
  const observations = fields.objects('observations', MAX_OBSERVATIONS, (one) =>
    readObservation(one, tenant),
  );
  fields.done();
  if (observations.length === 0 && faults.count === 0) {
    faults.add('observations', (body as { observations?: unknown }).observations, 'at least one');
  }
  return faults.count === 0
    ? { kind: 'valid', observations }
    : { kind: 'invalid', faults: faults.listed, count: faults.count, tooLarge: faults.tooLarge };
}
