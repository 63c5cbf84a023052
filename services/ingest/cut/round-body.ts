import type { ElementLimits } from '../read/json-shape';
import { parseBody, type BodyFormat } from '../read/parse-body';

export interface BodyBytes extends ElementLimits {
  readonly bytes: Buffer;
  readonly format: BodyFormat;
}

/** A body as it came, or parsed already. */
export type RoundBody = { readonly body: unknown } | BodyBytes;

/** A round of some 180 orders: 5 ms of reading, which other requests may wait for. */
const LARGE_BODY_BYTES = 128 * 1024;

/** A large body is parsed where it doesn't hold up anything, any other here. Throws ROUND_TOO_LARGE or PAYLOAD_INVALID. */
export function roundBody({ bytes, format, maxElements }: BodyBytes): RoundBody {
  if (bytes.length > LARGE_BODY_BYTES) return { bytes, format, maxElements };
  return { body: parseBody(bytes, format, { maxElements }) };
}
