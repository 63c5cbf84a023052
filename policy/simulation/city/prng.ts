/** A stream of pseudo-random numbers from integer arithmetic alone (splitmix32): the same on every machine. */
export class Prng {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** Whole, 0..2^32 − 1. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    return mix(this.state);
  }

  /** In [0, 1). */
  unit(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** Whole, from..to inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  /** About standard normal: the sum of twelve uniforms less six, so that no library function is asked. */
  normal(): number {
    let sum = -6;
    for (let i = 0; i < 12; i += 1) sum += this.unit();
    return sum;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.unit() * items.length)]!;
  }

  /** An index with a chance in proportion to its weight. */
  weighted(weights: readonly number[]): number {
    let left = this.unit() * weights.reduce((sum, weight) => sum + weight, 0);
    for (let i = 0; i < weights.length; i += 1) {
      left -= weights[i]!;
      if (left < 0) return i;
    }
    return weights.length - 1;
  }

  poisson(mean: number): number {
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.unit(); product > limit; product *= this.unit()) count += 1;
    return count;
  }
}

/** A well-mixed 32-bit hash of a whole number (Prospector's low-bias mixer). */
export function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** A seed for one named draw, so that what happens to one order does not hang on the draws of another. */
export function seedOf(seed: number, ...parts: readonly (string | number)[]): number {
  let hash = mix(seed);
  for (const character of parts.join('\u001f')) hash = mix(hash ^ character.codePointAt(0)!);
  return hash;
}
