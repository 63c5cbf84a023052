import type { Vehicle } from '#schemas/domain';
import type { Prng } from './prng';

/**
 * The noisy process of docs/etr.md, from which the shipped network was trained: lognormal times around
 * medians that depend on the hour, the merchant, the kitchen's load, rain and traffic.
 */
export interface Weather {
  readonly rain: number;
  readonly isWeekend: boolean;
}

export interface Merchant {
  readonly prepMeanMinutes: number;
  readonly prepCv: number;
  readonly waitMinutes: number;
}

const waitSigma = 0.55;
const handoverSigma = 0.45;
const ride: Readonly<Record<Vehicle, { base: number; traffic: number; rain: number; sigma: number }>> = {
  walk: { base: 1.04, traffic: 0.02, rain: 0.06, sigma: 0.08 },
  bike: { base: 1.08, traffic: 0.07, rain: 0.2, sigma: 0.11 },
  scooter: { base: 1.06, traffic: 0.22, rain: 0.24, sigma: 0.14 },
  car: { base: 1.12, traffic: 0.6, rain: 0.15, sigma: 0.19 },
};

function bump(hour: number, centre: number, width: number): number {
  return Math.exp(-0.5 * ((hour - centre) / width) ** 2);
}

/** How busy the city is: about 0.1 at night, 1.2 on a weekend evening. */
export function demandAt(secondsOfDay: number, { isWeekend }: Weather): number {
  const hour = secondsOfDay / 3600;
  const lunch = 0.65 * bump(hour, 12.6, 1.1) * (isWeekend ? 0.8 : 1);
  return 0.1 + lunch + 0.95 * bump(hour, 19.2, 1.5) * (isWeekend ? 1.15 : 1);
}

export function trafficAt(secondsOfDay: number, weather: Weather): number {
  return Math.min(1, 0.12 + 0.45 * demandAt(secondsOfDay, weather) + 0.15 * weather.rain);
}

const logSigma = (cv: number) => Math.sqrt(Math.log1p(cv * cv));
const lognormal = (median: number, sigma: number, prng: Prng) => median * Math.exp(sigma * prng.normal());
const wholeSeconds = (value: number) => Math.max(1, Math.round(value));

export interface KitchenOrder {
  readonly merchant: Merchant;
  readonly placedAt: number;
  readonly openOrders: number;
  readonly itemCount: number;
  readonly handoverMeanMinutes: number;
  readonly dropoffFloor: number;
}

export interface TrueTimes {
  readonly prepSeconds: number;
  readonly waitSeconds: number;
  readonly handoverSeconds: number;
}

export function drawTimes(order: KitchenOrder, weather: Weather, prng: Prng): TrueTimes {
  const load = demandAt(order.placedAt, weather);
  const sigma = logSigma(order.merchant.prepCv);
  const kitchen =
    (0.78 + 0.25 * load) *
    (1 + 0.04 * Math.max(0, order.openOrders - 1)) *
    (1 + 0.045 * (order.itemCount - 2));
  const prep = 60 * order.merchant.prepMeanMinutes * kitchen * Math.exp((-sigma * sigma) / 2);
  const wait = 60 * order.merchant.waitMinutes * (0.7 + 0.4 * load) * (1 + 0.05 * order.openOrders);
  const handover = 60 * order.handoverMeanMinutes * (1 + 0.1 * weather.rain) + 11 * order.dropoffFloor;
  return {
    prepSeconds: wholeSeconds(lognormal(prep, sigma, prng)),
    waitSeconds: wholeSeconds(lognormal(wait, waitSigma, prng)),
    handoverSeconds: wholeSeconds(lognormal(handover, handoverSigma, prng)),
  };
}

/** True riding time over the time of the travel model, for one drive. */
export function drawRideFactor(vehicle: Vehicle, departAt: number, weather: Weather, prng: Prng): number {
  const { base, traffic, rain, sigma } = ride[vehicle];
  const congestion = vehicle === 'car' ? 0.08 * demandAt(departAt, weather) : 0;
  const median = base + traffic * trafficAt(departAt, weather) + rain * weather.rain + congestion;
  return lognormal(median, sigma, prng);
}
