import type { Fault } from '#schemas/errors';
import { follow, FollowedFiles } from './followed-files';
import type { Secret } from './secret';
import { givenOnce, readSecretFile, type GivenSecret } from './secret-file';

/** A password in force: of the environment for good, of a file as that was last good. */
export interface Password {
  readonly value: Secret | null;
}

/** As `oneSecret`, and followed. */
export function onePassword(key: string, { given, file }: GivenSecret, faults: Fault[]): Password {
  if (file === '') return { value: given };
  givenOnce(key, { given, file }, faults);
  const named = { key: `${key}_FILE`, path: file };
  const read = (found: Fault[]): Secret | null => readSecretFile(named.key, file, found);
  return follow(new FollowedFiles({ kind: 'password', files: [named], read }, faults));
}

/** What a client of Kafka or Redis is made with: it asks for the password at each connection that it makes. */
export function withPassword<T extends object>(
  options: T,
  password: Password,
): T & { readonly password: string } {
  const get = (): string => password.value?.reveal() ?? '';
  return Object.defineProperty({ ...options }, 'password', { get, enumerable: true }) as T & {
    readonly password: string;
  };
}
