import type { RoundPolicy } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { FaultList } from './fault-list';
import { Fields } from './fields';
import { readPolicy } from './read-policy';

/** An untrusted policy alone, and all that is wrong with it. */
export function policyOf(
  value: unknown,
  asOf: number,
  modelLabels?: readonly RoundPolicy['modelLabel'][],
): { readonly policy: RoundPolicy; readonly faults: readonly Fault[] } {
  const faults = new FaultList();
  const fields = new Fields(value, 'policy', faults);
  const policy = readPolicy(fields, asOf, modelLabels);
  fields.done();
  return { policy, faults: faults.listed };
}
