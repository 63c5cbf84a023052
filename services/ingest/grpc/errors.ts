import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { grpcDetails } from '#lib/grpc-details';
import { errorCodes, type RoundhouseError } from '#schemas/errors';
import { errorBody, knownError } from '../error-body';

/** Trailing metadata with the body of an HTTP error as JSON text, of its faults as many as fit. */
const ERROR_METADATA = 'roundhouse-error-bin';
/** Metadata of a call is bounded by peers, often at 8 KiB. */
const MAX_METADATA_BYTES = 6_000;

function detailOf(error: RoundhouseError): Buffer {
  const body = errorBody(error);
  for (let kept = body.faults.length; ; kept = kept >> 1) {
    const detail = { ...body, faults: body.faults.slice(0, kept) };
    const bytes = Buffer.from(JSON.stringify(detail));
    if (bytes.length <= MAX_METADATA_BYTES || kept === 0) return bytes;
  }
}

/** An error as grpc-js sends it: status by the table, the first faults in the message. */
export function toServiceError(error: unknown): ServiceError {
  const known = knownError(error);
  const metadata = new Metadata();
  metadata.set(ERROR_METADATA, detailOf(known));
  const code = status[errorCodes[known.code].grpc ?? 'INTERNAL'];
  const shown = known.faults.slice(0, 5).map(({ path, value, limit }) => `${path}: ${value}, ${limit}`);
  const details = grpcDetails([`${known.code}: ${known.message}`, ...shown].join('\n'));
  return Object.assign(new Error(details), { code, details, metadata });
}
