import type { DecisionContent } from '#schemas/domain';

/** What is reported of a decision. */
export interface DecisionSummary {
  readonly closedBy: 'complete' | 'deadline';
  readonly coverage: number;
  readonly candidates: number;
  readonly assignments: number;
  readonly unassigned: number;
  readonly gap: string;
}

export function summaryOf(content: DecisionContent): DecisionSummary {
  return {
    closedBy: content.closedBy,
    coverage: content.coverage,
    candidates: content.candidatesTotal,
    assignments: content.assignments.length,
    unassigned: content.unassigned.length,
    gap: content.assignmentGap.toString(),
  };
}
