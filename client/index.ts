export type { Decision, DecisionContent } from '#schemas/domain';
export { errorCodes, RoundhouseError, type ErrorCode, type Fault } from '#schemas/errors';
export { FirstDecisions } from './first-decisions';
export {
  RoundhouseClient,
  type Acceptance,
  type ClientOptions,
  type DecisionReceipt,
} from './roundhouse-client';
export type {
  CourierInput,
  ObservationInput,
  OrderInput,
  PolicyInput,
  RoundInput,
  StopInput,
} from './round-input';
