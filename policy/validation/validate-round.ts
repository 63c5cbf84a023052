import type { OrderId, RoundId, RunId, Seconds, TenantId, UnixMs, ZoneId } from '#schemas/brands';
import type { DispatchRound } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { checkConsistency } from './consistency';
import { FaultList } from './fault-list';
import { Fields } from './fields';
import { defaultRoundLimits, MAX_INDEXED, MAX_TIME, SECONDS_END, type RoundLimits } from './limits';
import { readCourier } from './read-courier';
import { readOrder } from './read-order';
import { readDemand } from './read-demand';
import { readPolicy } from './read-policy';

/** A round without a sequence has the moment of its submission, so it is no part of what was submitted. */
export type SequenceOrigin = 'given' | 'submitted at';

export type RoundValidation =
  | { readonly kind: 'valid'; readonly round: DispatchRound; readonly sequence: SequenceOrigin }
  /** Valid but for a deadline in the past, or too near: a repeated submission may still be answered. */
  | {
      readonly kind: 'expired';
      readonly round: DispatchRound;
      readonly sequence: SequenceOrigin;
      readonly faults: readonly Fault[];
    }
  | {
      readonly kind: 'invalid';
      /** The first hundred; `count` are there in all. */
      readonly faults: readonly Fault[];
      readonly count: number;
      /** A count of elements is above its limit. */
      readonly tooLarge: boolean;
    };

function readDeadline(fields: Fields, limits: RoundLimits, now: UnixMs): UnixMs {
  const deadline = fields.integer('deadline', { min: 0, max: MAX_TIME }) as UnixMs;
  if (deadline > now + limits.maxDeadlineAheadMs) {
    fields.fault('deadline', deadline, `at most ${limits.maxDeadlineAheadMs} ms after now (${now})`);
  }
  return deadline;
}

/** A deadline in seconds is the commonest slip, since all other times are: as milliseconds it lies in January 1970. */
const inSeconds = (deadline: UnixMs, now: UnixMs): boolean => deadline > 0 && deadline < now / 100;

function leadFault(
  deadline: UnixMs,
  now: UnixMs,
  { minLeadMs }: RoundLimits,
): [string, number, string] | null {
  if (deadline > now && deadline >= now + minLeadMs) return null;
  const limit = `at least ${Math.max(1, minLeadMs)} ms after now (${now})`;
  const hint = inSeconds(deadline, now) ? '; a deadline is in milliseconds' : '';
  return ['deadline', deadline, `${limit}${hint}`];
}

function readRound(fields: Fields, limits: RoundLimits, now: UnixMs, tenant?: string): DispatchRound {
  const time = { min: -MAX_TIME, max: SECONDS_END - 1, unit: 'seconds' } as const;
  const tenantId = fields.tenant(tenant) as TenantId;
  const before = fields.faults.count;
  const deadline = readDeadline(fields, limits, now);
  const asOf = fields.integer('asOf', time, Math.floor(deadline / 1_000)) as Seconds;
  const anchored = fields.faults.count === before;
  const space = fields.oneOf('space', ['wgs84', 'planar'], 'wgs84');
  const policy = fields.object('policy', (policyFields) =>
    readPolicy(policyFields, asOf, limits.modelLabels),
  );
  const frame = { asOf, anchored, space, byMatrix: policy.travel.kind === 'matrix' };
  return {
    tenantId,
    runId: fields.id('runId', 'live') as RunId,
    roundId: fields.id('roundId') as RoundId,
    zoneId: fields.id('zoneId', 'default') as ZoneId,
    sequence: fields.int64('sequence', BigInt(now)),
    asOf,
    deadline,
    space,
    policy,
    couriers: fields.objects('couriers', Math.min(limits.maxCouriers, MAX_INDEXED), (courier) =>
      readCourier(courier, frame),
    ),
    orders: fields.objects('orders', Math.min(limits.maxOrders, MAX_INDEXED), (order) =>
      readOrder(order, frame),
    ),
    cancelledOrderIds: fields.ids('cancelledOrderIds', Math.min(limits.maxOrders, MAX_INDEXED)) as OrderId[],
    ...readDemand(fields, frame),
  };
}

/**
 * An untrusted body (parsed JSON or proto) to a round, or all of its faults at once. `now` is the wall
 * clock of the edge, `tenant` what the request's header names.
 */
export function validateRound(
  body: unknown,
  now: UnixMs,
  limits: RoundLimits = defaultRoundLimits,
  tenant?: string,
): RoundValidation {
  const faults = new FaultList();
  const fields = new Fields(body ?? null, '', faults);
  const round = readRound(fields, limits, now, tenant);
  fields.done();
  if (!faults.tooLarge) checkConsistency(round, limits, faults);
  const near = leadFault(round.deadline, now, limits);
  const sound = faults.count === 0;
  if (near && !faults.listed.some(({ path }) => path === 'deadline')) faults.add(...near);
  if (!sound)
    return { kind: 'invalid', faults: faults.listed, count: faults.count, tooLarge: faults.tooLarge };
  const sequence = fields.has('sequence') ? 'given' : 'submitted at';
  return near
    ? { kind: 'expired', round, sequence, faults: faults.listed }
    : { kind: 'valid', round, sequence };
}
