import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { isScope } from './scopes';
import { idFault } from '#policy/validation/index';
import { shownText } from '#schemas/shown-text';
import type { AccessConfig } from './access-settings';
import type { Finding } from './caller';

/** Only those of two keys: whoever checks a token can't make one. */
const algorithms = ['ES256', 'ES384', 'ES512', 'EdDSA', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];
const clockToleranceSeconds = 30;

/** Throws for what is no set of public keys. */
export function readKeySet(text: string): JWTVerifyGetKey {
  let document: { readonly keys?: readonly Record<string, unknown>[] };
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    throw new Error('it is no JSON');
  }
  const keys = Array.isArray(document?.keys) ? document.keys : [];
  if (keys.length === 0) throw new Error('it has no keys: a JSON web key set is {"keys": [...]}');
  // A word of the runtime would quote what stands there.
  if (keys.some((key) => typeof key !== 'object' || key === null))
    throw new Error('it has a key that is no object');
  if (keys.some((key) => key['kty'] === 'oct' || 'd' in key))
    throw new Error('it has a key that is not public');
  return createLocalJWKSet(document as unknown as JSONWebKeySet);
}

function scopesOf({
  scope,
  scp,
}: JWTPayload & { readonly scope?: unknown; readonly scp?: unknown }): string[] {
  const given = scope ?? scp;
  if (typeof given === 'string') return given.split(' ');
  return Array.isArray(given) ? given.map(String) : [];
}

function refusalOf(error: unknown): Finding {
  if (error instanceof errors.JWTExpired) return { refusal: 'expired' };
  const isSignature =
    error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey;
  return { refusal: isSignature ? 'not-signed' : 'malformed' };
}

type TokenRules = Pick<AccessConfig, 'jwtIssuer' | 'jwtAudience' | 'jwtTenantClaim'>;

/** A token must expire, be signed by a key of the set, and say its issuer and audience where these are set. */
export async function findWebToken(text: string, keys: JWTVerifyGetKey, rules: TokenRules): Promise<Finding> {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtTenantClaim } = rules;
  try {
    const { payload } = await jwtVerify(text, keys, {
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
      ...(issuer !== '' && { issuer }),
      ...(audience !== '' && { audience }),
    });
    const tenant = payload[jwtTenantClaim];
    if (typeof tenant !== 'string' || idFault(tenant) !== null) return { refusal: 'malformed' };
    const actor = `jwt:${shownText(payload.sub ?? 'unnamed', 100)}`;
    return { caller: { actor, tenant, scopes: new Set(scopesOf(payload).filter(isScope)) } };
  } catch (error) {
    return refusalOf(error);
  }
}
