export type { Bundle } from './bundle-rule';
export type { Candidate, CandidateTable } from './candidate-table';
export { candidateTable, generateCandidates } from './generate-candidates';
export { planningView, type PlanningView } from './planning-view';
