export type { Bundle } from './bundles';
export { DEFAULT_MAX_CANDIDATES, generateCandidates, type Candidate } from './generate-candidates';
export { planningView, type PlanningView } from './planning-view';
