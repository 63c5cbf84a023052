import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { grpcDetails } from '#lib/grpc-details';
import { errorCodes, RoundhouseError } from '#schemas/errors';

/** Trailing metadata with `{code, message, retry, faults}` as JSON text. */
const ERROR_METADATA = 'roundhouse-error-bin';
/** Metadata of a call is bounded by peers, often at 8 KiB. */
const MAX_METADATA_BYTES = 6_000;

function detailOf({ code, message, faults }: RoundhouseError): Buffer {
  for (let kept = faults.length; ; kept = kept >> 1) {
    const detail = { code, message, retry: errorCodes[code].retry, faults: faults.slice(0, kept) };
    const bytes = Buffer.from(JSON.stringify(detail));
    if (bytes.length <= MAX_METADATA_BYTES || kept === 0) return bytes;
  }
}

/** An error as grpc-js sends it: status by the table, the first faults in the message. */
export function toServiceError(error: unknown): ServiceError {
  const known = error instanceof RoundhouseError ? error : new RoundhouseError('INTERNAL', 'a fault of ours');
  const metadata = new Metadata();
  metadata.set(ERROR_METADATA, detailOf(known));
  const code = status[errorCodes[known.code].grpc ?? 'INTERNAL'];
  const shown = known.faults.slice(0, 5).map(({ path, value, limit }) => `${path}: ${value}, ${limit}`);
  const details = grpcDetails([`${known.code}: ${known.message}`, ...shown].join('\n'));
  return Object.assign(new Error(details), { code, details, metadata });
}
