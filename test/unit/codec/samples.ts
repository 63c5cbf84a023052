import type {
  Decision,
  DispatchRound,
  ModelRef,
  Observation,
  RoundManifest,
  Shard,
  ShardOutcome,
} from '#schemas/domain';

const ids = { tenantId: 'tenant', runId: 'run', roundId: 'round-1' };
const model: ModelRef = { name: 'candidate_cost', version: '1', contentHash: 'ab'.repeat(32) };
const stop = (placeId: string, x: number, y: number, travelZone?: number) => ({
  placeId,
  point: { x, y },
  ...(travelZone === undefined ? {} : { travelZone }),
  preServiceSeconds: 60,
  postServiceSeconds: 30,
});
const features = {
  merchantMeanPrepMinutes: 12.5,
  merchantStdPrepMinutes: 3,
  merchantOpenOrders: 4,
  itemCount: 2,
  pickupWaitMeanMinutes: 1.5,
  handoverMeanMinutes: 2,
  dropoffFloor: 3,
};

export const round = {
  ...ids,
  zoneId: 'zone é 漢 😀',
  sequence: 9_223_372_036_854_775_807n,
  asOf: 1_700_000_000,
  deadline: 1_796_000_000_123,
  space: 'wgs84',
  policy: {
    weights: { lateness: 10, duration: 1, freshness: 2 },
    travel: {
      kind: 'speed',
      metresPerHour: { walk: 5_000, bike: 15_000, scooter: 25_000, car: 30_000 },
      quantumSeconds: 1,
      known: false,
    },
    candidateRadiusMetres: 4_000.5,
    couriersPerBundle: 10,
    bundles: { maxOrders: 3, maxReadySpreadSeconds: 600, maxDropoffSpreadMetres: 1_500, disjoint: false },
    interleave: true,
    mergePickups: true,
    unassignedPenalty: { base: 1_000_000, perDeferral: 5_000_000_000 },
    reshuffleCost: 30,
    quantile: 'p50',
    modelLabel: 'stable',
    commitHorizonSeconds: null,
    context: { secondsOfDay: 43_200, dayOfWeek: 6, rainPerMille: 0, trafficPerMille: 1_000 },
    chains: { maxTrips: 3, maxOrders: 6 },
    uncoveredOrderCost: 500,
    prepositioning: { maxRideSeconds: 900, minShiftLeftSeconds: 600 },
  },
  couriers: [
    {
      courierId: 'c1',
      position: { x: 13.4, y: 52.5 },
      availableAt: 1_700_000_010,
      shiftEndsAt: 1_700_020_000,
      vehicle: 'bike',
      capacity: 4,
      skills: ['cold', 'alcohol'],
      held: [{ orderId: 'o1', onBoard: true }],
      tentativeOrderIds: ['o2'],
      coveredOrders: 3,
    },
    {
      courierId: 'c2',
      position: { x: 13.41, y: 52.51 },
      travelZone: 0,
      availableAt: 1_700_000_000,
      shiftEndsAt: 1_700_020_000,
      vehicle: 'car',
      capacity: 9,
      skills: [],
      held: [],
      tentativeOrderIds: [],
    },
  ],
  orders: ['o1', 'o2'].map((orderId, i) => ({
    orderId,
    pickup: stop(`r${i}`, 13.4, 52.5, i),
    dropoff: stop(`d${i}`, 13.42, 52.52),
    placedAt: 1_699_999_000,
    readyAt: 1_700_000_300,
    promisedAt: 1_700_002_400,
    latestDropoffAt: i === 0 ? null : 1_700_003_000,
    size: 1,
    requiredSkills: i === 0 ? [] : ['cold'],
    timesDeferred: i,
    known: { ready: i === 0, pickupWait: false, handover: false },
    features,
  })),
  cancelledOrderIds: ['o9'],
  demand: [{ placeId: 'r1', point: { x: 13.39, y: 52.49 }, weight: 1_000 }],
} as unknown as DispatchRound;

export const manifest: RoundManifest = {
  round,
  models: [model],
  shardCount: 2,
  shardCandidateCounts: [3, 4],
  shardOrders: [Buffer.from([0b11]), Buffer.from([0b10])],
};

export const shard = {
  ...ids,
  shardIndex: 1,
  zoneId: 'zone',
  shardCount: 2,
  candidateCount: 4,
  deadline: 1_796_000_000_123,
  model,
  tensors: [
    { name: 'params', datatype: 'INT64', shape: [1, 2], data: Buffer.alloc(16, 7) },
    { name: 'candidates', datatype: 'UINT16', shape: [1, 12], data: Buffer.alloc(24, 9) },
  ],
} as unknown as Shard;

export const outcome = {
  ...ids,
  shardIndex: 1,
  zoneId: 'zone',
  shardCount: 2,
  candidateCount: 4,
  status: 'solved',
  errorCode: null,
  plans: Buffer.alloc(128, 3),
  orderTimes: Buffer.alloc(32, 4),
  rideFactors: Buffer.alloc(16, 5),
  models: [model],
  deviceKind: 'cpu',
} as unknown as ShardOutcome;

export const decision = {
  ...ids,
  zoneId: 'zone',
  sequence: -9_223_372_036_854_775_808n,
  asOf: 1_700_000_000,
  deadline: 1_796_000_000_123,
  decisionId: 'd'.repeat(32),
  contentHash: 'e'.repeat(64),
  content: {
    assignments: [
      {
        courierId: 'c1',
        orderIds: ['o2'],
        stops: [
          {
            kind: 'pickup',
            orderIds: ['o2'],
            placeId: 'r1',
            arriveAt: 1_700_000_100,
            servedAt: 1_700_000_300,
            departAt: 1_700_000_330,
          },
        ],
        cost: -4_503_599_627_370_499n,
        unproven: false,
        stage: 'partial',
      },
    ],
    moves: [{ courierId: 'c2', placeId: 'r0', departAt: 1_700_000_000 }],
    unassigned: [{ orderId: 'o9', reason: 'cancelled' }],
    shards: [{ shardIndex: 0, status: 'missing', errorCode: null }],
    candidatesTotal: 7,
    candidatesArrived: 4,
    coverage: 4 / 7,
    closedBy: 'deadline',
    assignmentGap: 0n,
    models: [model],
  },
} as unknown as Decision;

export const observation = {
  tenantId: 'tenant',
  runId: 'run',
  zoneId: 'zone',
  orderId: 'o1',
  courierId: null,
  kind: 'dropped_off',
  at: 1_700_000_900,
} as unknown as Observation;
