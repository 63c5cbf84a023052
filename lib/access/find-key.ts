import { timingSafeEqual } from 'node:crypto';
import type { KeyEntry } from './access-file';
import { readApiKey } from './api-key';
import type { Finding } from './caller';

/** Compared with where there is no such id, so that the time doesn't tell which ids there are. */
const noHash = Buffer.alloc(32);

export function keysById(keys: readonly KeyEntry[]): ReadonlyMap<string, KeyEntry> {
  return new Map(keys.map((key) => [key.id, key]));
}

/** Of a text that begins like a key of ours. */
export function findKey(text: string, keys: ReadonlyMap<string, KeyEntry>, now: number): Finding {
  const key = readApiKey(text);
  if (key === null) return { refusal: 'malformed' };
  const entry = keys.get(key.id);
  const isSame = timingSafeEqual(key.hash, entry === undefined ? noHash : Buffer.from(entry.sha256, 'hex'));
  if (entry === undefined || !isSame) return { refusal: 'unknown' };
  if (entry.expiresAt !== null && entry.expiresAt <= now) return { refusal: 'expired' };
  return { caller: { actor: `key:${entry.id}`, tenant: entry.tenant, scopes: new Set(entry.scopes) } };
}
