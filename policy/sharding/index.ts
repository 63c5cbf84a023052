export { cutRound, type CutLimits } from './cut-round';
export { planCost, predictedCost } from './predicted-cost';
