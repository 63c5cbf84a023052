import type { OrderFeatures } from './domain';

/** Of an order of which nothing is known that a network could use. */
export const noOrderFeatures: OrderFeatures = {
  merchantMeanPrepMinutes: 0,
  merchantStdPrepMinutes: 0,
  merchantOpenOrders: 0,
  itemCount: 0,
  pickupWaitMeanMinutes: 0,
  handoverMeanMinutes: 0,
  dropoffFloor: 0,
};
