import { Metadata } from '@grpc/grpc-js';
import { setNotes } from '#lib/engine-client/peer-notes';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { HandedOver, LateHere, NoEngineInTime, UnfitHere } from '../../placement/placement';
import type { RefusalKind } from './frame-descriptions';

/** null: it is no refusal that cost nothing. */
export function refusalOf(error: RoundhouseError): RefusalKind | null {
  if (error instanceof LateHere) return 'late';
  if (error instanceof UnfitHere) return 'unfit';
  if (error instanceof NoEngineInTime) return 'no_engine';
  return error instanceof HandedOver ? 'handed_over' : null;
}

function madeAgain(
  code: ErrorCode,
  message: string,
  refusal: RefusalKind | null,
  remainingMs: number | undefined,
): RoundhouseError {
  if (refusal === 'late') return new LateHere();
  if (refusal === 'unfit') return new UnfitHere(message);
  if (refusal === 'no_engine') return new NoEngineInTime(message);
  if (refusal === 'handed_over') return new HandedOver();
  return new RoundhouseError(code, message, [], { remainingMs });
}

/** The other worker's error as its own callers have it; its load report lies where gRPC's errors have it. */
export function errorOf(
  code: ErrorCode,
  message: string,
  refusal: RefusalKind | null,
  remainingMs: number | undefined,
  load?: unknown,
): RoundhouseError {
  const error = madeAgain(code, message, refusal, remainingMs);
  if (load !== undefined) error.cause = { metadata: setNotes(new Metadata(), { deviceKind: '', load }) };
  return error;
}
