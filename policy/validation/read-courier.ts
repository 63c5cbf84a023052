import type { CourierId, OrderId } from '#schemas/brands';
import type { Courier } from '#schemas/domain';
import { vehicles } from '#schemas/domain';
import { MAX_PLAN_ORDERS } from '#schemas/tensors';
import type { Fields } from './fields';
import { MAX_SKILLS, MAX_UNITS } from './limits';
import { readTime, type RoundFrame } from './read-order';
import { readPoint, readTravelZone } from './read-stop';

const DEFAULT_SHIFT_SECONDS = 8 * 3_600;
const DEFAULT_CAPACITY = 10;

function readCoveredOrders(fields: Fields): Pick<Courier, 'coveredOrders'> {
  const isThere = fields.has('coveredOrders');
  const coveredOrders = fields.integer('coveredOrders', { min: 0, max: MAX_UNITS }, 0);
  return isThere ? { coveredOrders } : {};
}

export function readCourier(fields: Fields, frame: RoundFrame): Courier {
  const { asOf } = frame;
  return {
    courierId: fields.id('courierId') as CourierId,
    position: readPoint(fields, 'position', frame.space),
    ...readTravelZone(fields, frame.byMatrix),
    availableAt: readTime(fields, 'availableAt', frame, asOf),
    shiftEndsAt: readTime(fields, 'shiftEndsAt', frame, asOf + DEFAULT_SHIFT_SECONDS),
    vehicle: fields.oneOf('vehicle', vehicles, 'bike'),
    capacity: fields.integer('capacity', { min: 0, max: MAX_UNITS }, DEFAULT_CAPACITY),
    skills: fields.ids('skills', MAX_SKILLS),
    held: fields.objects('held', MAX_PLAN_ORDERS, (held) => ({
      orderId: held.id('orderId') as OrderId,
      onBoard: held.boolean('onBoard', false),
    })),
    tentativeOrderIds: fields.ids('tentativeOrderIds', MAX_PLAN_ORDERS) as OrderId[],
    ...readCoveredOrders(fields),
  };
}
