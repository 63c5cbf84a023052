import { nearestName } from '#schemas/nearest-name';
import { shownText } from '#schemas/shown-text';
import type { Fault } from '#schemas/errors';
import { isKeyId } from './api-key';
import { isScope, scopes, type Scope } from './scopes';

/** A key as the file has it: of its secret only the hash. */
export interface KeyEntry {
  readonly id: string;
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  readonly sha256: string;
  /** Unix ms; null: until it is taken out of the file. */
  readonly expiresAt: number | null;
}

/** What a tenant may have; null: no limit. */
export interface Quota {
  readonly requestsPerSecond: number | null;
  readonly roundsPerMinute: number | null;
  readonly bytesPerMinute: number | null;
  readonly candidatesPerMinute: number | null;
  /** Streams of decisions that are open at once. */
  readonly streams: number | null;
  /** Requests that wait for a decision at once. */
  readonly waits: number | null;
}

export interface AccessRules {
  readonly keys: readonly KeyEntry[];
  /** By tenant; `*` is that of all others. */
  readonly quotas: ReadonlyMap<string, Quota>;
}

export type AccessReading =
  | { readonly kind: 'rules'; readonly rules: AccessRules }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] };

type Fields = Readonly<Record<string, unknown>>;

export const noLimit: Quota = {
  requestsPerSecond: null,
  roundsPerMinute: null,
  bytesPerMinute: null,
  candidatesPerMinute: null,
  streams: null,
  waits: null,
};
const keyFields = ['id', 'tenant', 'scopes', 'sha256', 'expires'];

/** Reads one document, and keeps every fault. */
class Reader {
  readonly faults: Fault[] = [];

  fault(path: string, limit: string): void {
    // What stands there is not shown: it may be a key that somebody put into the wrong field.
    this.faults.push({ path, value: '(not shown)', limit });
  }

  object(path: string, value: unknown, known: readonly string[] | null): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.fault(path, 'an object');
      return {};
    }
    for (const name of Object.keys(value)) {
      if (known === null || known.includes(name)) continue;
      const nearest = nearestName(name, known);
      this.fault(
        `${path}.${shownText(name, 40)}`,
        nearest === null ? 'no such field' : `did you mean ${nearest}?`,
      );
    }
    return value as Fields;
  }

  text(path: string, value: unknown, pattern: RegExp, limit: string): string {
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.fault(path, limit);
    return '';
  }

  scopes(path: string, value: unknown): Scope[] {
    const good =
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((scope) => typeof scope === 'string' && isScope(scope));
    if (!good) this.fault(path, `a list of ${scopes.join(', ')}`);
    return good ? (value as Scope[]) : [];
  }

  time(path: string, value: unknown): number | null {
    if (value === undefined) return null;
    const at =
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? Date.parse(value) : NaN;
    if (Number.isNaN(at)) this.fault(path, 'a time like 2027-01-31T00:00:00Z');
    return at;
  }

  count(path: string, value: unknown): number | null {
    if (value === undefined) return null;
    const good = Number.isSafeInteger(value) && (value as number) >= 1;
    if (!good) this.fault(path, 'a whole number above 0');
    return good ? (value as number) : null;
  }
}

function readKey(reader: Reader, path: string, value: unknown): KeyEntry {
  const fields = reader.object(path, value, keyFields);
  const id = typeof fields['id'] === 'string' && isKeyId(fields['id']) ? fields['id'] : '';
  if (id === '') reader.fault(`${path}.id`, '1 to 64 lower-case letters, digits and dashes');
  return {
    id,
    tenant: reader.text(`${path}.tenant`, fields['tenant'], /^[!-~]{1,64}$/, '1 to 64 characters, no spaces'),
    scopes: reader.scopes(`${path}.scopes`, fields['scopes']),
    sha256: reader.text(`${path}.sha256`, fields['sha256'], /^[0-9a-f]{64}$/, '64 hexadecimal digits'),
    expiresAt: reader.time(`${path}.expires`, fields['expires']),
  };
}

function readQuota(reader: Reader, path: string, value: unknown): Quota {
  const fields = reader.object(path, value, Object.keys(noLimit));
  const count = (name: keyof Quota): number | null => reader.count(`${path}.${name}`, fields[name]);
  return {
    requestsPerSecond: count('requestsPerSecond'),
    roundsPerMinute: count('roundsPerMinute'),
    bytesPerMinute: count('bytesPerMinute'),
    candidatesPerMinute: count('candidatesPerMinute'),
    streams: count('streams'),
    waits: count('waits'),
  };
}

function readKeys(reader: Reader, value: unknown): KeyEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    reader.fault('keys', 'a list');
    return [];
  }
  const keys = value.map((entry, index) => readKey(reader, `keys[${index}]`, entry));
  keys.forEach(({ id }, index) => {
    if (id !== '' && keys.findIndex((key) => key.id === id) !== index)
      reader.fault(`keys[${index}].id`, 'another id: this one is there before');
  });
  return keys;
}

/** The text of an access file (docs/security.md), or every fault in it. */
export function readAccessFile(text: string): AccessReading {
  const reader = new Reader();
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // The parser's words quote the text.
    return { kind: 'invalid', faults: [{ path: 'the file', value: '(not shown)', limit: 'JSON' }] };
  }
  const fields = reader.object('the file', document, ['keys', 'quotas']);
  const keys = readKeys(reader, fields['keys']);
  const listed = fields['quotas'] === undefined ? {} : reader.object('quotas', fields['quotas'], null);
  const quotas = new Map(
    Object.entries(listed).map(([tenant, value]) => [
      tenant,
      readQuota(reader, `quotas.${shownText(tenant, 64)}`, value),
    ]),
  );
  if (reader.faults.length > 0) return { kind: 'invalid', faults: reader.faults };
  return { kind: 'rules', rules: { keys, quotas } };
}

export function quotaOf({ quotas }: AccessRules, tenant: string): Quota {
  return quotas.get(tenant) ?? quotas.get('*') ?? noLimit;
}
