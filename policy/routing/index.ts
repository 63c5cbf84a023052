export { beginsTrip, stopsOfCandidate, orderIndices, type CandidateStop } from './candidate-stops';
export { ceilSqrt } from './ceil-sqrt';
export {
  decodeOrderTimes,
  decodeRideFactors,
  encodeOrderTimes,
  statedOrderTimes,
  type OrderTimes,
  type OrderTimesByIndex,
} from './order-times';
export { decodePlans, encodePlans, packStops, unpackStops, type Plan } from './plan-records';
export { projectPoints } from './project-points';
export {
  noRideFactors,
  placeDistance,
  roundGeometry,
  travelTime,
  type RideFactors,
  type RoundGeometry,
  type TravelTime,
} from './round-geometry';
export { decodeTravelMatrix, encodeTravelMatrix, type TravelMatrix } from './travel-matrix';
export { distanceMetres, matrixTravelSeconds, travelSeconds } from './travel-seconds';
export { startOfCourier, walkPlan, type WalkedPlan, type WalkInput } from './walk-plan';
