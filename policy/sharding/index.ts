export {
  cutCandidates,
  cutRound,
  fillShards,
  type CutLimits,
  type CutRound,
  type FilledShard,
} from './cut-round';
export { planCost, predictedCosts } from './predicted-cost';
