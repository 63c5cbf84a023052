import type { OrderId, PlaceId, Seconds } from '#schemas/brands';
import type { Order, Stop } from '#schemas/domain';
import { pointNear, type City, type CityMerchant } from './city';
import { Prng, seedOf } from './prng';
import { demandAt, drawTimes, type TrueTimes, type Weather } from './process';

export interface CityOrder {
  readonly order: Order;
  readonly merchant: CityMerchant;
  readonly truth: TrueTimes;
}

/** Kitchens open at 10:00; the last orders come at 22:30. */
const opensAt = 10 * 3600;
const closesAt = 22 * 3600 + 1800;
const preServiceSeconds = 60 as Seconds;
const promiseMinutes = 45;

/** What a merchant's past 60 orders say of it: near the truth, not the truth. */
interface Estimates {
  readonly prepMean: number;
  readonly prepStd: number;
  readonly wait: number;
}

function estimatesOf(merchant: CityMerchant, seed: number): Estimates {
  const prng = new Prng(seedOf(seed, 'estimates', merchant.placeId));
  const error = (size: number) => Math.exp((size / Math.sqrt(60)) * prng.normal());
  return {
    prepMean: merchant.prepMeanMinutes * error(merchant.prepCv),
    prepStd: merchant.prepMeanMinutes * merchant.prepCv * error(0.7),
    wait: merchant.waitMinutes * error(0.55),
  };
}

/** Placement times that follow the demand of the day, ascending. */
function placements(seed: number, count: number, weather: Weather): number[] {
  const prng = new Prng(seedOf(seed, 'placements'));
  const slots = Array.from({ length: (closesAt - opensAt) / 300 }, (_, i) => opensAt + 300 * i);
  const weights = slots.map((slot) => demandAt(slot + 150, weather));
  const times = Array.from({ length: count }, () => slots[prng.weighted(weights)]! + prng.whole(0, 299));
  return times.sort((a, b) => a - b);
}

export function generateOrders(city: City, seed: number, count: number, weather: Weather): CityOrder[] {
  const kitchens = new Map<PlaceId, number[]>();
  return placements(seed, count, weather).map((placedAt, i) => {
    const prng = new Prng(seedOf(seed, 'order', i));
    const merchant = city.merchants[prng.weighted(city.merchants.map(({ popularity }) => popularity))]!;
    const inKitchen = (kitchens.get(merchant.placeId) ?? []).filter((readyAt) => readyAt > placedAt);
    const order = cityOrder(city, merchant, estimatesOf(merchant, seed), i, placedAt, prng);
    const { itemCount, handoverMeanMinutes, dropoffFloor } = order.features;
    const kitchen = { merchant, placedAt, itemCount, handoverMeanMinutes, dropoffFloor };
    const truth = drawTimes({ ...kitchen, openOrders: inKitchen.length + 1 }, weather, prng);
    kitchens.set(merchant.placeId, [...inKitchen, placedAt + truth.prepSeconds]);
    return { order, merchant, truth };
  });
}

function cityOrder(
  city: City,
  merchant: CityMerchant,
  estimates: Estimates,
  index: number,
  placedAt: number,
  prng: Prng,
): Order {
  const home = nearbyHome(city, merchant, prng);
  const handover = 2.6 * Math.exp(-0.04 + 0.3 * prng.normal());
  const orderId = `o${String(index).padStart(4, '0')}` as OrderId;
  return {
    orderId,
    pickup: stopAt(merchant.placeId, merchant.point, Math.round(60 * estimates.wait)),
    dropoff: stopAt(`home-${orderId}` as PlaceId, home, Math.round(60 * handover)),
    placedAt: placedAt as Seconds,
    readyAt: (placedAt + Math.round(60 * estimates.prepMean)) as Seconds,
    promisedAt: (placedAt + promiseMinutes * 60) as Seconds,
    latestDropoffAt: null,
    size: prng.unit() < 0.15 ? 2 : 1,
    requiredSkills: prng.unit() < 0.06 ? ['age-check'] : [],
    timesDeferred: 0,
    known: { ready: false, pickupWait: false, handover: false },
    features: {
      merchantMeanPrepMinutes: rounded(estimates.prepMean),
      merchantStdPrepMinutes: rounded(estimates.prepStd),
      merchantOpenOrders: 0,
      itemCount: 1 + prng.poisson(1.7),
      pickupWaitMeanMinutes: rounded(estimates.wait),
      handoverMeanMinutes: rounded(handover),
      dropoffFloor: prng.unit() < 0.45 ? 0 : prng.whole(1, 12),
    },
  };
}

/** Most people order from within 3 km: of three homes drawn, the nearest. */
function nearbyHome(city: City, merchant: CityMerchant, prng: Prng) {
  const weights = city.quarters.map(({ weight }) => weight);
  const homes = Array.from({ length: 3 }, () => pointNear(city.quarters[prng.weighted(weights)]!, prng, 1.8));
  const distance = ({ x, y }: { x: number; y: number }) =>
    ((x - merchant.point.x) * 0.61) ** 2 + (y - merchant.point.y) ** 2;
  return homes.reduce((nearest, home) => (distance(home) < distance(nearest) ? home : nearest));
}

function stopAt(placeId: PlaceId, point: Stop['point'], postServiceSeconds: number): Stop {
  return { placeId, point, preServiceSeconds, postServiceSeconds: postServiceSeconds as Seconds };
}

function rounded(minutes: number): number {
  return Math.round(minutes * 10) / 10;
}
