import { SeededRandom } from '../../assignment/seeded-random';

/** Seeds that follow each other give sequences that have nothing in common. */
export function mixedRandom(seed: number): SeededRandom {
  const random = new SeededRandom(Math.imul(seed + 1, 0x9e3779b1));
  for (let skipped = 0; skipped < 4; skipped += 1) random.unit();
  return random;
}
