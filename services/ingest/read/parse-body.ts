import type { ElementLimits } from './json-shape';
import { parseJson } from './parse-json';
import { parseProto } from './round-proto';

/** Of a round's body: JSON over HTTP, a Round of `roundhouse.proto` over gRPC. */
export type BodyFormat = 'json' | 'proto';

/** Throws ROUND_TOO_LARGE or PAYLOAD_INVALID. */
export function parseBody(bytes: Buffer, format: BodyFormat, limits: ElementLimits): unknown {
  return format === 'json' ? parseJson(bytes, limits) : parseProto(bytes, limits);
}
