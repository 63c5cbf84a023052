import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload, type KeyLike } from 'jose';
import { findWebToken, readKeySet } from './web-tokens';

const rules = { jwtIssuer: 'https://id.example', jwtAudience: 'roundhouse', jwtTenantClaim: 'tenant' };
const claims = { tenant: 'acme', scope: 'rounds:write profile decisions:read', sub: 'dispatcher' };

let ours: KeyLike;
let theirs: KeyLike;
let keys: ReturnType<typeof readKeySet>;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  ours = pair.privateKey;
  theirs = (await generateKeyPair('ES256')).privateKey;
  keys = readKeySet(
    JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'a', alg: 'ES256' }] }),
  );
});

interface Variation {
  readonly claims?: JWTPayload;
  readonly issuer?: string;
  readonly audience?: string;
  readonly expires?: string | null;
  readonly key?: KeyLike;
}

function token({
  claims: more = {},
  issuer,
  audience,
  expires = '5m',
  key = ours,
}: Variation): Promise<string> {
  const made = new SignJWT({ ...claims, ...more })
    .setProtectedHeader({ alg: 'ES256', kid: 'a' })
    .setIssuer(issuer ?? rules.jwtIssuer)
    .setAudience(audience ?? rules.jwtAudience);
  return (expires === null ? made : made.setExpirationTime(expires)).sign(key);
}

test('a token of our issuer stands for its tenant, with the scopes that we know', async () => {
  expect(await findWebToken(await token({}), keys, rules)).toEqual({
    caller: { actor: 'jwt:dispatcher', tenant: 'acme', scopes: new Set(['rounds:write', 'decisions:read']) },
  });
  const listed = await token({ claims: { scope: undefined, scp: ['observations:write'] } });
  expect(await findWebToken(listed, keys, rules)).toMatchObject({
    caller: { scopes: new Set(['observations:write']) },
  });
});

test.each<[string, Variation, string]>([
  ['expired', { expires: '-1m' }, 'expired'],
  ['signed by another', {}, 'not-signed'],
  ['without an end', { expires: null }, 'malformed'],
  ['of another issuer', { issuer: 'https://other.example' }, 'malformed'],
  ['for another audience', { audience: 'other' }, 'malformed'],
  ['without a tenant', { claims: { tenant: undefined } }, 'malformed'],
  ['with a tenant of two lines', { claims: { tenant: 'a\nb' } }, 'malformed'],
])('a token %s is none', async (name, variation, refusal) => {
  const text = await token(name === 'signed by another' ? { ...variation, key: theirs } : variation);
  expect(await findWebToken(text, keys, rules)).toEqual({ refusal });
});

test('an unsigned token, one signed with a shared secret and other text are none', async () => {
  const unsigned = new UnsecuredJWT({ ...claims, iss: rules.jwtIssuer }).setExpirationTime('5m').encode();
  const shared = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'a' })
    .setExpirationTime('5m')
    .sign(Buffer.alloc(32));
  for (const text of [unsigned, shared, 'a.b.c', '']) {
    expect(await findWebToken(text, keys, rules)).toEqual({ refusal: 'malformed' });
  }
});

test.each([
  ['', 'it is no JSON'],
  ['null', 'it has no keys'],
  ['{"keys":[]}', 'it has no keys'],
  ['{"keys":[{"kty":"oct","k":"AAAA"}]}', 'not public'],
  ['{"keys":[{"kty":"EC","d":"AAAA"}]}', 'not public'],
  ['{"keys":["rh_a_secret"]}', 'no object'],
  ['{"keys":[null]}', 'no object'],
])('%j is no set of public keys: %s', (text, reason) => {
  expect(() => readKeySet(text)).toThrow(reason);
});
