export type { Bundle } from './bundle-rule';
export { generateCandidates, type Candidate } from './generate-candidates';
export { planningView, type PlanningView } from './planning-view';
