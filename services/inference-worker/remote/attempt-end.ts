import type { RoundhouseError } from '#schemas/errors';
import { HandedOver, LateHere, NoEngineInTime, UnfitHere } from '../placement/placement';

/**
 * What an attempt at a remote that did not succeed means. `refused`: it cost nothing there. `down`: no engine, or nobody
 * at all, is there, and the work never got to one. `lost`: an engine may have ended with it. `doubtful`: the work's fault
 * or the remote's; that shows elsewhere. `late`: its time is over.
 */
export type FailureKind = 'refused' | 'busy' | 'without_model' | 'down' | 'lost' | 'doubtful' | 'late';

/** How our own gRPC library, and our own edge, say that a request reached no engine. */
const neverThere =
  /^no engine serves now|No connection established|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|Name resolution failed|certificate|wrong version number/i;

export function failureKind(error: RoundhouseError): FailureKind {
  if (error instanceof LateHere || error instanceof UnfitHere) return 'refused';
  if (error instanceof NoEngineInTime || error instanceof HandedOver) return 'down';
  switch (error.code) {
    case 'ENGINE_BUSY':
      return 'busy';
    case 'MODEL_UNAVAILABLE':
    case 'TRAVEL_MATRIX_UNKNOWN':
      return 'without_model';
    case 'DEADLINE_EXCEEDED':
      return 'late';
    case 'ENGINE_LOST':
      return neverThere.test(error.message) ? 'down' : 'lost';
    case 'DEVICE_FAULT':
      return 'lost';
    default:
      return 'doubtful';
  }
}
