import { RoundhouseError } from '#schemas/errors';

/** What a request names as its tenant, in one place or in several alike; unchecked. Throws where they differ. */
export function namedTenant(names: readonly (string | undefined)[]): string | undefined {
  const [name, ...others] = new Set(names.filter((one) => one !== undefined));
  if (others.length > 0)
    throw new RoundhouseError('PAYLOAD_INVALID', 'the request names more than one tenant');
  return name;
}
