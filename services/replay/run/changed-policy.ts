import { modelLabels } from '#lib/model-labels';
import { configError } from '#lib/config';
import { readRegularFile } from '#lib/regular-file';
import { policyOf } from '#policy/validation/index';
import type { DispatchRound, RoundPolicy } from '#schemas/domain';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects are laid over one another field by field; everything else is replaced. */
export function laidOver(below: Json, above: Json): Json {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const own = Object.hasOwn(below, name) ? below[name] : undefined;
    merged[name] = isObject(own) && isObject(value) ? laidOver(own, value) : value;
  }
  return merged;
}

/** The round's policy with some of its fields changed. Throws CONFIG_INVALID with every fault. */
export function changedPolicy(round: DispatchRound, changes: Json): RoundPolicy {
  const { policy, faults } = policyOf(
    laidOver(round.policy as unknown as Json, changes),
    round.asOf,
    modelLabels,
  );
  if (faults.length === 0) return policy;
  throw configError(faults.map((fault) => ({ ...fault, path: `--policy: ${fault.path}` })));
}

/** Throws CONFIG_INVALID where the file is no JSON object. */
export function readPolicyFile(file: string): Json {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readRegularFile(file).toString());
  } catch (error) {
    throw configError([
      { path: `--policy ${file}`, value: (error as Error).message, limit: 'a file of JSON' },
    ]);
  }
  if (isObject(parsed)) return parsed;
  throw configError([
    { path: `--policy ${file}`, value: typeof parsed, limit: 'an object of policy fields' },
  ]);
}
