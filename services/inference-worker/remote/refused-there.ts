import { Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { statusOf } from '#lib/engine-client/grpc-errors';
import { setNotes } from '#lib/engine-client/peer-notes';
import type { AnswerNotes } from '#lib/engine-client/port';
import type { RoundhouseError } from '#schemas/errors';
import { refusalKinds, type RefusalKind } from './ucx/frame-descriptions';
import { errorOf, refusalOf } from './ucx/refusals';

const refusalTrailer = 'rh-refusal';

/** A refusal, or failure, as another worker hears it over gRPC. */
export function statusForPeer(error: RoundhouseError, notes: AnswerNotes): Partial<StatusObject> {
  const status = statusOf(error);
  const metadata = setNotes(status.metadata ?? new Metadata(), notes);
  const kind = refusalOf(error);
  if (kind !== null) metadata.set(refusalTrailer, kind);
  return { ...status, metadata };
}

/** What the other worker refused as it had it: late there, unfit there, without an engine. */
export function asRefusedThere(error: RoundhouseError): RoundhouseError {
  const metadata = (error.cause as Partial<ServiceError> | undefined)?.metadata;
  const sent = metadata?.get(refusalTrailer)[0];
  const kind: RefusalKind | undefined = refusalKinds.find((known) => known === sent);
  return kind === undefined ? error : errorOf(error.code, error.message, kind, error.remainingMs);
}
