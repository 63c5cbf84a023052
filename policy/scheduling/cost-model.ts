import { phases, type PhaseTimes } from './phases';
import { RobustRate } from './robust-rate';

/** Times of a shard on a device of speed 1, before anything is known. */
export type CostPrior = (model: string, size: number) => PhaseTimes;

/** A row of the model's own account of itself. */
export interface PredictionError {
  readonly model: string;
  readonly bucket: number;
  readonly deviceId: string;
  readonly phase: string;
  readonly observations: number;
  readonly msPerUnit: number;
  /** |seen − predicted| / predicted, of late. */
  readonly meanError: number;
  readonly meanBias: number;
}

/** Shards of one model and a size within a factor of √2: alike but for their size. */
export interface CostClass {
  readonly index: number;
  readonly model: string;
  readonly bucket: number;
}

/** After so many observations what was guessed from others is guessed again. */
const guessAgainAfter = 64;
/** Farther sizes say nothing. */
const nearBuckets = 6;
const ends = ['decode', 'publish'];
const cpuPhases = phases.map((phase) => ends.includes(phase));

function bucketOf(size: number): number {
  return Math.round(2 * Math.log2(size));
}

function midSize(bucket: number): number {
  return 2 ** (bucket / 2);
}

interface Guess {
  readonly generation: number;
  readonly rates: Float64Array;
}

interface KnownRates {
  readonly rates: readonly RobustRate[];
  /** Milliseconds a unit of size, kept equal to the rates' values. */
  readonly current: Float64Array;
}

/**
 * What the phases of a shard take on a device: milliseconds a unit of size, learned for each model, size bucket and
 * device. What has not been seen is taken from the nearest bucket of the same model and device, else from the same
 * bucket of another device by their speeds, else from the prior.
 */
export class CostModel {
  private readonly classes = new Map<string, CostClass>();
  private readonly known = new Map<string, KnownRates[]>();
  private readonly speeds = new Map<string, number>();
  private readonly guesses = new Map<string, Guess[]>();
  private observations = 0;
  /** Guesses of an earlier one are made anew. */
  private generation = 0;

  constructor(private readonly prior: CostPrior) {}

  /** A device whose speed is not told has speed 1. What was learned of an id stays when it comes back. */
  setSpeed(deviceId: string, speed: number): void {
    this.speeds.set(deviceId, speed);
    if (!this.known.has(deviceId)) this.known.set(deviceId, []);
    this.generation += 1;
  }

  classOf(model: string, size: number): CostClass {
    return this.classAt(model, bucketOf(size)) ?? this.newClass(model, bucketOf(size));
  }

  isKnown(cost: CostClass, deviceId: string): boolean {
    return this.ratesOf(cost, deviceId) !== undefined;
  }

  /** Milliseconds a unit of size for each phase; to be read at once, not kept. */
  rates(cost: CostClass, deviceId: string): Float64Array {
    return this.ratesOf(cost, deviceId)?.current ?? this.guess(cost, deviceId);
  }

  observe(cost: CostClass, deviceId: string, phase: number, size: number, tookMs: number): void {
    const predicted = this.rates(cost, deviceId)[phase]!;
    const known = this.ratesOf(cost, deviceId) ?? this.newRates(cost, deviceId);
    this.observations += 1;
    if (this.observations % guessAgainAfter === 0) this.generation += 1;
    const rate = known.rates[phase]!;
    rate.observe(tookMs / size, predicted);
    known.current[phase] = rate.value;
  }

  errors(): PredictionError[] {
    const rows: PredictionError[] = [];
    for (const [deviceId] of this.known) {
      for (const { index, model, bucket } of this.classes.values()) {
        const known = this.known.get(deviceId)![index];
        known?.rates.forEach((rate, at) => {
          const { count: observations, value: msPerUnit, meanError, meanBias } = rate;
          const phase = phases[at]!;
          if (observations > 0)
            rows.push({ model, bucket, deviceId, phase, observations, msPerUnit, meanError, meanBias });
        });
      }
    }
    return rows;
  }

  private classAt(model: string, bucket: number): CostClass | undefined {
    return this.classes.get(`${bucket} ${model}`);
  }

  private newClass(model: string, bucket: number): CostClass {
    const made = { index: this.classes.size, model, bucket };
    this.classes.set(`${bucket} ${model}`, made);
    return made;
  }

  private ratesOf(cost: CostClass, deviceId: string): KnownRates | undefined {
    return this.known.get(deviceId)?.[cost.index];
  }

  /** Phases that have not been seen go on with what was believed. */
  private newRates(cost: CostClass, deviceId: string): KnownRates {
    const current = this.rates(cost, deviceId).slice();
    const made = { rates: phases.map(() => new RobustRate()), current };
    const device = this.known.get(deviceId) ?? [];
    device[cost.index] = made;
    this.known.set(deviceId, device);
    this.generation += 1;
    return made;
  }

  private guess(cost: CostClass, deviceId: string): Float64Array {
    let device = this.guesses.get(deviceId);
    if (device === undefined) this.guesses.set(deviceId, (device = []));
    const last = device[cost.index];
    if (last?.generation === this.generation) return last.rates;
    const rates = this.fromNear(cost, deviceId) ?? this.fromOthers(cost, deviceId);
    device[cost.index] = { generation: this.generation, rates };
    return rates;
  }

  private fromNear(cost: CostClass, deviceId: string): Float64Array | null {
    for (let away = 1; away <= nearBuckets; away += 1) {
      for (const bucket of [cost.bucket + away, cost.bucket - away]) {
        const near = this.classAt(cost.model, bucket);
        const known = near && this.ratesOf(near, deviceId);
        if (known !== undefined) return known.current;
      }
    }
    return null;
  }

  private fromOthers(cost: CostClass, deviceId: string): Float64Array {
    const speed = this.speeds.get(deviceId) ?? 1;
    for (const [other, otherSpeed] of this.speeds) {
      const known = this.ratesOf(cost, other);
      if (known !== undefined) return slowed(known.current, otherSpeed / speed);
    }
    const size = midSize(cost.bucket);
    return slowed(this.prior(cost.model, size), 1 / speed).map((ms) => ms / size);
  }
}

/** Only what runs on the device is slower on a slower one. */
function slowed(times: Float64Array, factor: number): Float64Array {
  return times.map((ms, phase) => (cpuPhases[phase] ? ms : ms * factor));
}
