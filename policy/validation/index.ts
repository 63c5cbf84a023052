export { farPoints, limitOfFar } from './far-points';
export { describeValue } from './fault-list';
export { idFault } from './fields';
export { defaultRoundLimits, MAX_INDEXED, type RoundLimits } from './limits';
export { policyOf } from './policy-of';
export { validateObservations, type ObservationsValidation } from './validate-observation';
export { validateRound, type RoundValidation, type SequenceOrigin } from './validate-round';
