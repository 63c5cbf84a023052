import { ceilSqrt } from './ceil-sqrt';

/** Ceiling of a / b for whole a ≥ 0, b > 0 with a + b below 2^53: the rounded quotient is put right. */
function ceilDivide(a: number, b: number): number {
  const quotient = Math.ceil(a / b);
  if ((quotient - 1) * b >= a) return quotient - 1;
  return quotient * b < a ? quotient + 1 : quotient;
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
