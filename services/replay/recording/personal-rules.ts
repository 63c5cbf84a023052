import { readRegularFile } from '#lib/regular-file';
import { nearestName } from '#schemas/nearest-name';
import { shownText } from '#schemas/shown-text';
import { configError } from '#lib/config';
import type { Fault } from '#schemas/errors';

export type Action = 'hash' | 'drop';

/**
 * The fields that a rule may name, and what may be done to each. Ids tie a round together, so they can be
 * hashed and not dropped: the same id is the same hash in rounds, outcomes and decisions.
 */
export const personalFields = {
  tenantId: ['hash'],
  zoneId: ['hash'],
  roundId: ['hash'],
  orderId: ['hash'],
  courierId: ['hash'],
  placeId: ['hash'],
  skills: ['hash', 'drop'],
  pickupPoint: ['drop'],
  dropoffPoint: ['drop'],
  courierPosition: ['drop'],
  dropoffFloor: ['drop'],
  features: ['drop'],
  headers: ['drop'],
} as const satisfies Record<string, readonly Action[]>;

export type PersonalField = keyof typeof personalFields;

/** Without them a round can't be decided again. */
export const neededForReplay: readonly string[] = ['pickupPoint', 'dropoffPoint', 'courierPosition'];

export interface PersonalRules {
  readonly fields: ReadonlyMap<PersonalField, Action>;
  /** Of the hashes; never written down in a recording. */
  readonly salt: string;
}

export const noRules: PersonalRules = { fields: new Map(), salt: '' };

const leastSalt = 16;

function ruleFaults(name: string, action: unknown): string | null {
  const names = Object.keys(personalFields);
  if (!names.includes(name)) {
    const nearest = nearestName(name, names);
    return nearest === null ? `one of ${names.join(', ')}` : `did you mean ${nearest}?`;
  }
  const allowed: readonly Action[] = personalFields[name as PersonalField];
  return allowed.includes(action as Action) ? null : `"${allowed.join('" or "')}"`;
}

function saltFault(salt: unknown, hashes: boolean): string | null {
  if (salt === undefined && !hashes) return null;
  return typeof salt === 'string' && salt.length >= leastSalt
    ? null
    : `text of at least ${leastSalt} characters, where a field is hashed`;
}

/** Throws CONFIG_INVALID with every fault of the file's JSON: `{"salt": …, "fields": {"orderId": "hash", …}}`. */
export function rulesOf(parsed: unknown, file: string): PersonalRules {
  const faults: Fault[] = [];
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  const { salt, fields, ...others } = (isObject ? parsed : {}) as Record<string, unknown>;
  const given = typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : null;
  if (given === null) faults.push({ path: `${file}: fields`, value: '', limit: 'an object of fields' });
  for (const name of Object.keys(others)) {
    faults.push({ path: `${file}: ${shownText(name, 100)}`, value: '', limit: 'salt or fields' });
  }
  const rules = Object.entries(given ?? {});
  for (const [name, action] of rules) {
    const limit = ruleFaults(name, action);
    const value = shownText(JSON.stringify(action), 100);
    if (limit !== null) faults.push({ path: `${file}: fields.${shownText(name, 100)}`, value, limit });
  }
  const fault = saltFault(
    salt,
    rules.some(([, action]) => action === 'hash'),
  );
  if (fault !== null) faults.push({ path: `${file}: salt`, value: '(not shown)', limit: fault });
  if (faults.length > 0) throw configError(faults);
  return { salt: String(salt ?? ''), fields: new Map(rules as [PersonalField, Action][]) };
}

/** Throws CONFIG_INVALID. */
export function readRules(file: string): PersonalRules {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readRegularFile(file).toString());
  } catch (error) {
    const why = error instanceof SyntaxError ? 'JSON' : 'a readable file';
    throw configError([{ path: file, value: (error as Error).message, limit: why }]);
  }
  return rulesOf(parsed, file);
}

export function listed(rules: PersonalRules): { readonly hashed: string[]; readonly dropped: string[] } {
  const of = (action: Action): string[] =>
    [...rules.fields].filter(([, given]) => given === action).map(([name]) => name);
  return { hashed: of('hash').sort(), dropped: of('drop').sort() };
}
