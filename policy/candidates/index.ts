export type { Bundle } from './bundle-rule';
export { DEFAULT_MAX_CANDIDATES, generateCandidates, type Candidate } from './generate-candidates';
export { planningView, type PlanningView } from './planning-view';
