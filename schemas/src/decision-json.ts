import type { Decision } from './domain';

/** A decision in JSON: as in the domain, 64-bit integers as strings of digits. */
export type DecisionJson = Record<string, unknown>;

const replaceBigint = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

/** JSON text of a domain object. Fields come in the order in which they were set. */
export function toJsonText(value: object): string {
  return JSON.stringify(value, replaceBigint);
}

/** The same as plain objects. */
export function decisionToJson(decision: Decision): DecisionJson {
  return JSON.parse(toJsonText(decision)) as DecisionJson;
}

interface WireDecision extends Omit<Decision, 'sequence' | 'content'> {
  readonly sequence: string;
  readonly content: Omit<Decision['content'], 'assignments' | 'assignmentGap'> & {
    readonly assignments: readonly (Omit<Decision['content']['assignments'][number], 'cost'> & {
      readonly cost: string;
    })[];
    readonly assignmentGap: string;
  };
}

/** Reads what `decisionToJson` wrote. */
export function decisionFromJson(json: unknown): Decision {
  const { sequence, content, ...envelope } = json as WireDecision;
  return {
    ...envelope,
    sequence: BigInt(sequence),
    content: {
      ...content,
      assignments: content.assignments.map(({ cost, ...rest }) => ({ ...rest, cost: BigInt(cost) })),
      assignmentGap: BigInt(content.assignmentGap),
    },
  };
}
