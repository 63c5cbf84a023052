import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readAccessFile } from '#lib/access/access-file';
import { newApiKey } from '#lib/access/api-key';
import { configError } from '#lib/config';
import { readRegularFile } from '#lib/regular-file';
import { RoundhouseError } from '#schemas/errors';
import type { Invocation } from './arguments';

interface Document {
  readonly keys?: readonly { readonly id: string }[];
  readonly [part: string]: unknown;
}

function refused(reason: string): RoundhouseError {
  return new RoundhouseError('CONFIG_INVALID', reason);
}

/** Throws CONFIG_INVALID for a text that ingest would refuse. */
function checked(text: string): Document {
  const reading = readAccessFile(text);
  if (reading.kind === 'invalid') throw configError(reading.faults);
  return JSON.parse(text) as Document;
}

function read(file: string): Document {
  return existsSync(file) ? checked(readRegularFile(file).toString('utf8')) : {};
}

/** A new file in place of another belongs to whom that did: who follows it must be able to read it as before. */
function keepOwner(fresh: string, old: string): void {
  const { uid, gid, mode } = statSync(old);
  const now = statSync(fresh);
  try {
    if (now.uid !== uid || now.gid !== gid) chownSync(fresh, uid, gid);
  } catch {
    throw refused(`${old} belongs to user ${uid} and group ${gid}: change it as that user, or as root`);
  }
  chmodSync(fresh, mode & 0o777);
}

/** Readers see the old text or the new one. A link stays one. */
function write(file: string, document: Document): void {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  checked(text);
  const target = existsSync(file) ? realpathSync(file) : file;
  const fresh = `${target}.new-${randomUUID()}`;
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    if (existsSync(target)) keepOwner(fresh, target);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function addKey({ file, id, tenant, scopes, expires }: Extract<Invocation, { command: 'new' }>): string {
  const document = read(file);
  const keys = document.keys ?? [];
  if (keys.some((key) => key.id === id))
    throw refused(`${file} has a key ${id}: revoke it, or take another id`);
  const { text, sha256 } = newApiKey(id);
  const entry = { id, tenant, scopes, sha256, ...(expires !== null && { expires }) };
  write(file, { ...document, keys: [...keys, entry] });
  return text;
}

function revokeKey(file: string, id: string): string {
  const document = read(file);
  const keys = document.keys ?? [];
  const left = keys.filter((key) => key.id !== id);
  if (left.length === keys.length) throw refused(`${file} has no key ${id}`);
  write(file, { ...document, keys: left });
  return `revoked ${id}`;
}

function listKeys(file: string): string {
  const keys = (read(file).keys ?? []) as readonly Readonly<Record<string, unknown>>[];
  const rows = keys.map(({ sha256: _hash, ...shown }) => JSON.stringify(shown));
  return rows.length === 0 ? `no keys in ${file}` : rows.join('\n');
}

/** What is printed; for one at a time. Throws CONFIG_INVALID. */
export function carryOut(invocation: Invocation): string {
  if (invocation.command === 'new') return addKey(invocation);
  return invocation.command === 'revoke'
    ? revokeKey(invocation.file, invocation.id)
    : listKeys(invocation.file);
}
