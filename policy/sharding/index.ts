export { cutCandidates, cutRound, type CutLimits, type CutRound } from './cut-round';
export { planCost, predictedCosts } from './predicted-cost';
