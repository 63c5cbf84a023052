import { asCodedError, CodedError } from '../coded-error';

export const ucxErrorCodes = [
  /** The addon isn't built, or no libucp could be opened. */
  'LOAD_FAILED',
  'SETTINGS_INVALID',
  /** UCX is there and has no transport that may be used. */
  'UNAVAILABLE',
  'ADDRESS_IN_USE',
  'INVALID_ARG',
  'WRONG_HANDLE',
  'CLOSED',
  /** A header longer than UCX's active messages take. */
  'TOO_LARGE',
  /** A message didn't get through: its connection ended. */
  'CONNECTION_ENDED',
  'INTERNAL',
] as const;
export type UcxErrorCode = (typeof ucxErrorCodes)[number];

export class UcxError extends CodedError<UcxErrorCode> {}

/** What the addon threw, as a UcxError; anything else unchanged. */
export function asUcxError(error: unknown): unknown {
  return asCodedError(error, ucxErrorCodes, UcxError);
}
