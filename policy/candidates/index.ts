export type { Bundle } from './bundle-rule';
export type { Candidate, CandidateTable } from './candidate-table';
export {
  candidateTable,
  generateCandidates,
  offerPlan,
  offersOf,
  type OfferPlan,
} from './generate-candidates';
export { packedTable, unpackedTable, type PackedTable } from './packed-table';
export { planningView, withRound, type PlanningView } from './planning-view';
