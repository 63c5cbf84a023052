import { RoundhouseError } from '#schemas/errors';
import { requireShape, type ElementLimits } from './json-shape';

/** Throws ROUND_TOO_LARGE or PAYLOAD_INVALID. */
export function parseJson(bytes: Buffer, limits: ElementLimits): unknown {
  requireShape(bytes, limits);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new RoundhouseError('PAYLOAD_INVALID', `the body is no JSON: ${(error as Error).message}`, [], {
      cause: error,
    });
  }
}
