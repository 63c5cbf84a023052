import type { Point, Space, Vehicle } from '#schemas/domain';

/**
 * A round as a producer writes it: ids, points and whatever differs from the defaults, which
 * docs/producer-api.md lists. A DispatchRound of the domain fits, too.
 */
export interface RoundInput {
  readonly tenantId?: string;
  readonly runId?: string;
  readonly roundId: string;
  readonly zoneId?: string;
  /** Orders the rounds of a zone; exact over the whole range of int64. Absent: the moment of its submission. */
  readonly sequence?: bigint | number | string;
  /** Domain time, whole seconds. */
  readonly asOf?: number;
  /** Wall time, Unix ms. */
  readonly deadline: number;
  readonly space?: Space;
  readonly policy?: PolicyInput;
  readonly couriers?: readonly CourierInput[];
  readonly orders?: readonly OrderInput[];
  readonly cancelledOrderIds?: readonly string[];
  readonly demand?: readonly DemandPlaceInput[];
}

export interface StopInput {
  readonly placeId?: string;
  readonly point: Point;
  readonly travelZone?: number;
  readonly preServiceSeconds?: number;
  readonly postServiceSeconds?: number;
}

export interface OrderInput {
  readonly orderId: string;
  readonly pickup: StopInput;
  readonly dropoff: StopInput;
  readonly placedAt?: number;
  readonly readyAt?: number;
  readonly promisedAt?: number;
  readonly latestDropoffAt?: number | null;
  readonly size?: number;
  readonly requiredSkills?: readonly string[];
  readonly timesDeferred?: number;
  readonly known?: { readonly ready?: boolean; readonly pickupWait?: boolean; readonly handover?: boolean };
  readonly features?: {
    readonly merchantMeanPrepMinutes?: number;
    readonly merchantStdPrepMinutes?: number;
    readonly merchantOpenOrders?: number;
    readonly itemCount?: number;
    readonly pickupWaitMeanMinutes?: number;
    readonly handoverMeanMinutes?: number;
    readonly dropoffFloor?: number;
  };
}

export interface CourierInput {
  readonly courierId: string;
  readonly position: Point;
  readonly travelZone?: number;
  readonly availableAt?: number;
  readonly shiftEndsAt?: number;
  readonly vehicle?: Vehicle;
  readonly capacity?: number;
  readonly skills?: readonly string[];
  readonly held?: readonly { readonly orderId: string; readonly onBoard?: boolean }[];
  readonly tentativeOrderIds?: readonly string[];
  readonly coveredOrders?: number;
}

export interface PolicyInput {
  readonly weights?: { readonly lateness?: number; readonly duration?: number; readonly freshness?: number };
  readonly travel?: {
    readonly kind?: 'speed' | 'matrix';
    readonly metresPerHour?: Partial<Readonly<Record<Vehicle, number>>>;
    readonly contentHash?: string;
    readonly quantumSeconds?: number;
    readonly known?: boolean;
  };
  readonly candidateRadiusMetres?: number;
  readonly couriersPerBundle?: number;
  readonly bundles?: {
    readonly maxOrders?: number;
    readonly maxReadySpreadSeconds?: number;
    readonly maxDropoffSpreadMetres?: number;
    readonly disjoint?: boolean;
  };
  readonly interleave?: boolean;
  readonly mergePickups?: boolean;
  readonly unassignedPenalty?: { readonly base?: number; readonly perDeferral?: number };
  readonly reshuffleCost?: number;
  readonly quantile?: 'p50' | 'p90';
  readonly modelLabel?: 'stable' | 'canary';
  readonly commitHorizonSeconds?: number | null;
  readonly context?: {
    readonly secondsOfDay?: number;
    readonly dayOfWeek?: number;
    readonly rainPerMille?: number;
    readonly trafficPerMille?: number;
  };
  readonly chains?: { readonly maxTrips?: number; readonly maxOrders?: number };
  readonly uncoveredOrderCost?: number;
  readonly prepositioning?: { readonly maxRideSeconds?: number; readonly minShiftLeftSeconds?: number };
}

export interface DemandPlaceInput {
  readonly placeId: string;
  readonly point: Point;
  readonly travelZone?: number;
  readonly weight?: number;
}

export interface ObservationInput {
  readonly runId?: string;
  readonly zoneId?: string;
  readonly orderId: string;
  readonly courierId?: string | null;
  readonly kind: 'picked_up' | 'dropped_off' | 'refused' | 'cancelled';
  readonly at: number;
}
