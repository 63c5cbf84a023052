import type { Day, DayCourier } from '#policy/simulation/day';
import { policyOf } from '#policy/validation/index';
import type { CourierId, OrderId, PlaceId, Seconds } from '#schemas/brands';
import { noOrderFeatures } from '#schemas/no-order-features';
import { ImportFaults } from './import-faults';
import { waves, waybills, type Waybill } from './meituan-tables';
import { RowReader } from './row-reader';
import { dayOf, type TableOrder } from './table-day';

export interface MeituanDayChoice {
  readonly date: number;
  readonly area: string;
  readonly roundMinutes: number;
}

/** Known from when it was pushed to the dispatching; a meal is ready when it was estimated to be. */
function orderOf({ orderId, pushedAt, orderedAt, readyAt, promisedAt, ...waybill }: Waybill): TableOrder {
  const placedAt = (pushedAt || orderedAt) as Seconds;
  const ready = Math.max(readyAt, placedAt) as Seconds;
  const stop = (placeId: string, point: Waybill['pickup']) => ({
    placeId: placeId as PlaceId,
    point,
    preServiceSeconds: 0 as Seconds,
    postServiceSeconds: 60 as Seconds,
  });
  const order: TableOrder['order'] = {
    orderId: orderId as OrderId,
    pickup: stop(`poi-${waybill.placeId}`, waybill.pickup),
    dropoff: stop(orderId, waybill.dropoff),
    placedAt,
    readyAt: ready,
    promisedAt: Math.max(promisedAt || ready + 2_400, placedAt) as Seconds,
    latestDropoffAt: null,
    size: 1,
    requiredSkills: [],
    timesDeferred: 0,
    known: { ready: true, pickupWait: true, handover: true },
    features: noOrderFeatures,
  };
  return { order, actualReadyAt: ready };
}

interface Shift {
  readonly from: number;
  readonly to: number;
}

function shiftsOn(folder: string, date: number, faults: ImportFaults): Map<string, Shift> {
  const shifts = new Map<string, Shift>();
  for (const { dt, courierId, startsAt, endsAt } of waves(folder, faults)) {
    if (dt !== date) continue;
    const known = shifts.get(courierId) ?? { from: Infinity, to: -Infinity };
    shifts.set(courierId, { from: Math.min(known.from, startsAt), to: Math.max(known.to, endsAt) });
  }
  return shifts;
}

/** On from their first wave to the end of their last, from where they accepted their first order of the area. */
function couriersOf(taken: readonly Waybill[], shifts: ReadonlyMap<string, Shift>): DayCourier[] {
  const first = new Map<string, Waybill>();
  for (const waybill of taken) {
    const known = first.get(waybill.courierId);
    const hasPoint = waybill.grabbedAtPoint.x !== 0 || waybill.grabbedAtPoint.y !== 0;
    if (hasPoint && (known === undefined || waybill.grabbedAt < known.grabbedAt))
      first.set(waybill.courierId, waybill);
  }
  return [...first].flatMap(([courierId, { grabbedAtPoint }]) => {
    const shift = shifts.get(courierId);
    if (shift === undefined) return [];
    return [
      {
        courierId: courierId as CourierId,
        start: { placeId: `start-${courierId}` as PlaceId, point: grabbedAtPoint },
        onAt: shift.from as Seconds,
        offAt: shift.to as Seconds,
        vehicle: 'scooter' as const,
        capacity: 10,
        skills: [],
      },
    ];
  });
}

/** A date of an area as a day for closed loop. Throws IMPORT_INVALID. */
export function meituanDay(folder: string, choice: MeituanDayChoice): Day {
  const { date, area, roundMinutes } = choice;
  const faults = new ImportFaults();
  const orders = new Map<string, TableOrder>();
  const taken: Waybill[] = [];
  for (const waybill of waybills(folder, faults)) {
    if (waybill.dt !== date || waybill.areaId !== area) continue;
    if (!orders.has(waybill.orderId)) orders.set(waybill.orderId, orderOf(waybill));
    if (waybill.isGrabbed) taken.push(waybill);
  }
  const shifts = shiftsOn(folder, date, faults);
  faults.throwIfAny();
  if (orders.size === 0) faults.add(folder, `no order of area ${area} on ${date}`, 'at least one');
  faults.throwIfAny();
  const { policy } = policyOf({ travel: { known: true } }, 0);
  const settings = new Map<string, unknown>([
    ['roundSeconds', roundMinutes * 60],
    ['tenantId', 'meituan'],
  ]);
  const frame = { name: `${area}-${date}`, space: 'wgs84' as const, policy };
  const row = new RowReader(settings, 'meituan', faults);
  return dayOf([...orders.values()], couriersOf(taken, shifts), { ...frame, row });
}
