import { ArgumentsInvalid, readFlags } from '#lib/command-line';
import { isKeyId } from '#lib/access/api-key';
import { isScope, producerScopes, scopes, type Scope } from '#lib/access/scopes';
import { shownText } from '#schemas/shown-text';

export const usage = `npm run --silent api-keys -- new|revoke|list --file ACCESS_FILE …
  new     --id ID --tenant TENANT [--scopes ${producerScopes.join(',')}] [--expires 2027-01-31T00:00:00Z]
          of the KServe ports: --scopes models:infer,models:read,models:admin
          prints the key, which is shown this once; the file gets its hash
  revoke  --id ID
  list    the keys of the file, without their hashes
  ingest follows ROUNDHOUSE_INGEST_ACCESS_FILE, a worker ROUNDHOUSE_WORKER_ACCESS_FILE: a change holds within two seconds (docs/security.md)`;

export type Invocation =
  | {
      readonly command: 'new';
      readonly file: string;
      readonly id: string;
      readonly tenant: string;
      readonly scopes: readonly Scope[];
      readonly expires: string | null;
    }
  | { readonly command: 'revoke'; readonly file: string; readonly id: string }
  | { readonly command: 'list'; readonly file: string };

const flags = {
  file: { type: 'string' },
  id: { type: 'string' },
  tenant: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
} as const;

function needed(name: string, given: string | undefined): string {
  if (given !== undefined && given !== '') return given;
  throw new ArgumentsInvalid(`--${name} is needed`);
}

function idOf(given: string | undefined): string {
  const id = needed('id', given);
  if (isKeyId(id)) return id;
  throw new ArgumentsInvalid(`--id is ${shownText(id, 80)}: 1 to 64 lower-case letters, digits and dashes`);
}

function scopesOf(given: string | undefined): readonly Scope[] {
  const named = given === undefined ? [...producerScopes] : given.split(',');
  const unknown = named.find((scope) => !isScope(scope));
  if (unknown === undefined) return named as Scope[];
  throw new ArgumentsInvalid(`--scopes has ${shownText(unknown, 80)}: there are ${scopes.join(', ')}`);
}

/** Throws ArgumentsInvalid. */
export function readInvocation([command = '', ...argv]: readonly string[]): Invocation {
  if (!['new', 'revoke', 'list'].includes(command))
    throw new ArgumentsInvalid(`${shownText(command, 80) || 'no command'}: it is one of new, revoke, list`);
  const given = readFlags(argv, flags);
  const file = needed('file', given.file);
  if (command === 'list') return { command, file };
  const id = idOf(given.id);
  if (command === 'revoke') return { command, file, id };
  const tenant = needed('tenant', given.tenant);
  return { command: 'new', file, id, tenant, scopes: scopesOf(given.scopes), expires: given.expires ?? null };
}
