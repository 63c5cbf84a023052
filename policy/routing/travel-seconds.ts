import { ceilSqrt } from './ceil-sqrt';

/** Ceiling of a / b for whole a ≥ 0, b > 0 below 2^53; `%` is exact where a rounded quotient is not. */
export function ceilDivide(a: number, b: number): number {
  const rest = a % b;
  return (a - rest) / b + (rest > 0 ? 1 : 0);
}

/** Whole metres between two points of whole metres, rounded up. */
export function distanceMetres(dx: number, dy: number): number {
  return ceilSqrt(dx * dx + dy * dy);
}

/**
 * Seconds for a distance, rounded up to the quantum: quantum · ceil(distance · 3600 · factor /
 * (metresPerHour · 1000 · quantum)), as in tensors.ts. `metresPerHour` is above 0.
 */
export function travelSeconds(
  distance: number,
  metresPerHour: number,
  quantum: number,
  factorPerMille: number,
): number {
  return quantum * ceilDivide(distance * 3600 * factorPerMille, metresPerHour * 1000 * quantum);
}

/** The same for the seconds of a travel matrix. */
export function matrixTravelSeconds(seconds: number, quantum: number, factorPerMille: number): number {
  return quantum * ceilDivide(seconds * factorPerMille, 1000 * quantum);
}
