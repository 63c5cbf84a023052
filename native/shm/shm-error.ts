import { asCodedError, CodedError } from '../coded-error';

export const shmErrorCodes = [
  'SETTINGS_INVALID',
  'NO_MEMORY',
  'SOCKET_FAILED',
  'PEER_INVALID',
  'SESSION_ENDED',
  'STALE_LEASE',
  'WRONG_HANDLE',
  'INVALID_ARG',
  'LOAD_FAILED',
  'INTERNAL',
  /** Larger than the largest slot. */
  'TOO_LARGE',
  'ANSWER_TOO_LARGE',
  'DEADLINE',
  'CANCELLED',
] as const;
export type ShmErrorCode = (typeof shmErrorCodes)[number];

export class ShmError extends CodedError<ShmErrorCode> {}

/** The engine's own answer to a request that it refused or that failed. */
export class EngineRefusal extends Error {
  /** Milliseconds to the deadline of a request that was refused; undefined where it has none. */
  readonly remainingMs: number | undefined;

  constructor(
    /** A code of the error table where `ofTable`, else one of Triton's. */
    readonly code: string,
    readonly ofTable: boolean,
    message: string,
    remainingMs = -1,
  ) {
    super(message);
    this.name = 'EngineRefusal';
    this.remainingMs = remainingMs < 0 ? undefined : remainingMs;
  }
}

/** What the addon threw, as a ShmError; anything else unchanged. */
export function asShmError(error: unknown): unknown {
  return asCodedError(error, shmErrorCodes, ShmError);
}
