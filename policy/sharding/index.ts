export { cutRound, DEFAULT_CANDIDATES_PER_SHARD, MAX_SHARD_BYTES, type CutLimits } from './cut-round';
export { planCost, predictedCost } from './predicted-cost';
