/** A courier, when it is free (seconds from asOf) and where. */
export interface Supply {
  readonly freeAt: number;
  readonly place: number;
}

/** So many couriers may be taken before one comes to an order; each is free with a chance of 1 − TAKEN. */
const DEPTH = 4;
const TAKEN = 0.3;
const WEIGHTS = Float64Array.from({ length: DEPTH }, (_, rank) => (1 - TAKEN) * TAKEN ** rank);
/** Nobody comes: a delay of this many seconds, which is also the longest. */
const LONGEST = 25 * 60;
const LEFT_OVER = TAKEN ** DEPTH * LONGEST;
/** One more than counts, since one courier may be thought away. */
const KEPT = DEPTH + 1;
const NOBODY = -1;

/**
 * How soon couriers would be at orders of which nothing is known but where they are expected: for each place the
 * expected delay of the nearest courier that is not taken (Daskin 1983), weighted by the orders expected there.
 */
export class Coverage {
  /** By demand place, the couriers that would be there first, and their delays. */
  private readonly first: Int32Array;
  private readonly delay: Float64Array;
  /** By demand place, the expected delay as it is. */
  private readonly asItIs: Float64Array;

  constructor(
    private readonly demand: { readonly place: Int32Array; readonly weight: Float64Array },
    private readonly supply: Supply[],
    private readonly ride: (courier: number, from: number, to: number) => number,
  ) {
    this.first = new Int32Array(demand.place.length * KEPT).fill(NOBODY);
    this.delay = new Float64Array(demand.place.length * KEPT).fill(LONGEST);
    this.asItIs = new Float64Array(demand.place.length);
    for (let at = 0; at < demand.place.length; at += 1) this.rank(at);
  }

  /** Order-seconds saved where the courier is at demand place `target` from `freeAt` on. */
  gain(courier: number, target: number, freeAt: number): number {
    const { place, weight } = this.demand;
    let gain = 0;
    for (let at = 0; at < place.length; at += 1) {
      const there = Math.min(LONGEST, freeAt + this.ride(courier, place[target]!, place[at]!));
      if (this.isNoChange(at, courier, there)) continue;
      gain += weight[at]! * (this.asItIs[at]! - this.expected(at, courier, there));
    }
    return gain;
  }

  /** The courier is not among those that count at the demand place, and would not be. */
  private isNoChange(at: number, courier: number, there: number): boolean {
    const end = at * KEPT + DEPTH;
    if (there < this.delay[end - 1]!) return false;
    for (let i = at * KEPT; i < end; i += 1) if (this.first[i] === courier) return false;
    return true;
  }

  move(courier: number, target: number, freeAt: number): void {
    this.supply[courier] = { freeAt, place: this.demand.place[target]! };
    for (let at = 0; at < this.demand.place.length; at += 1) {
      const begin = at * KEPT;
      if (this.first.subarray(begin, begin + KEPT).includes(courier)) this.rank(at);
      else if (this.enter(at, courier)) this.asItIs[at] = this.expected(at, NOBODY, LONGEST);
    }
  }

  /** Expected delay at a demand place with `courier` arriving after `there` seconds. */
  private expected(at: number, courier: number, there: number): number {
    let sum = 0;
    let rank = 0;
    let isIn = courier === NOBODY;
    for (let i = at * KEPT; rank < DEPTH && i < (at + 1) * KEPT; i += 1) {
      if (courier !== NOBODY && this.first[i] === courier) continue;
      if (!isIn && there <= this.delay[i]!) {
        sum += WEIGHTS[rank++]! * there;
        isIn = true;
        if (rank === DEPTH) break;
      }
      sum += WEIGHTS[rank++]! * this.delay[i]!;
    }
    return sum + LEFT_OVER;
  }

  private rank(at: number): void {
    const begin = at * KEPT;
    this.first.fill(NOBODY, begin, begin + KEPT);
    this.delay.fill(LONGEST, begin, begin + KEPT);
    for (let courier = 0; courier < this.supply.length; courier += 1) this.enter(at, courier);
    this.asItIs[at] = this.expected(at, NOBODY, LONGEST);
  }

  /** Puts a courier in its rank, of equal ones the lower number first; false where it is behind all that are kept. */
  private enter(at: number, courier: number): boolean {
    const { first, delay } = this;
    const { freeAt, place: from } = this.supply[courier]!;
    const there = freeAt + this.ride(courier, from, this.demand.place[at]!);
    const isBefore = (slot: number) =>
      there < delay[slot]! || (there === delay[slot]! && courier < first[slot]!);
    const begin = at * KEPT;
    let slot = begin + KEPT - 1;
    if (!isBefore(slot)) return false;
    for (; slot > begin && isBefore(slot - 1); slot -= 1) {
      delay[slot] = delay[slot - 1]!;
      first[slot] = first[slot - 1]!;
    }
    delay[slot] = there;
    first[slot] = courier;
    return true;
  }
}
