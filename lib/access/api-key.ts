import { createHash, randomBytes } from 'node:crypto';

/** `rh_ID_SECRET`; the secret has 256 random bits, so that its SHA-256 can't be searched. */
const pattern = /^rh_([a-z0-9-]{1,64})_([A-Za-z0-9_-]{43})$/;
const secretBytes = 32;

export interface ApiKey {
  readonly id: string;
  readonly hash: Buffer;
}

export function isKeyId(text: string): boolean {
  return /^[a-z0-9-]{1,64}$/.test(text);
}

/** null for what is no key of ours. */
export function readApiKey(text: string): ApiKey | null {
  const [, id, secret] = pattern.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, hash: hashOf(secret) };
}

export function newApiKey(id: string): { readonly text: string; readonly sha256: string } {
  const secret = randomBytes(secretBytes).toString('base64url');
  return { text: `rh_${id}_${secret}`, sha256: hashOf(secret).toString('hex') };
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
