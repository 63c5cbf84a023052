import type { Scope } from './scopes';

/** Whom a credential stands for. */
export interface Caller {
  /** `key:ID` or `jwt:SUBJECT`, for the log. */
  readonly actor: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** Why a credential is none; the caller isn't told. */
export type Refusal = 'absent' | 'malformed' | 'unknown' | 'expired' | 'not-signed';

export type Finding = { readonly caller: Caller } | { readonly refusal: Refusal };
