#pragma once

#include <cstdint>

/// Mirror of schemas/src/tensors.ts, where every column is explained; test/unit/native-layout.test.ts compares.
namespace roundhouse::candidate_cost::layout {

constexpr int64_t TENSOR_ABI = 1;
constexpr int32_t NO_LIMIT = 0x7fffffff;
constexpr uint16_t NO_ROW = 0xffff;
constexpr int MAX_STOPS = 16;
constexpr int MAX_PLAN_ORDERS = 8;
constexpr int MAX_BUNDLE_ORDERS = 6;
constexpr int MAX_EXACT_ORDERS = 7;
constexpr int MAX_EXACT_STOPS = 12;

namespace Param {
enum : int {
  abi = 0,
  asOf = 1,
  quantumSeconds = 2,
  weightLateness = 3,
  weightDuration = 4,
  weightFreshness = 5,
  interleave = 6,
  mergePickups = 7,
  quantile = 8,
  candidateColumns = 9,
  travelKind = 10,
  metresPerHour = 11,
  matrixHash = 15,
  secondsOfDay = 19,
  dayOfWeek = 20,
  rainPerMille = 21,
  trafficPerMille = 22,
  travelKnown = 23,
};
}
constexpr int PARAM_COUNT = 24;

namespace Interleave {
enum : int { heldFirst = 0, mixed = 1, tripByTrip = 2 };
}

namespace CourierColumn {
enum : int {
  roundIndex = 0,
  place = 1,
  startAt = 2,
  latestPickupAt = 3,
  vehicle = 4,
  capacity = 5,
  heldOffset = 6,
  heldCount = 7,
};
}
constexpr int COURIER_COLUMNS = 8;

namespace HeldColumn {
enum : int { order = 0, onBoard = 1 };
}
constexpr int HELD_COLUMNS = 2;

namespace OrderColumn {
enum : int {
  roundIndex = 0,
  pickupPlace = 1,
  dropoffPlace = 2,
  readyAt = 3,
  promisedAt = 4,
  latestDropoffAt = 5,
  size = 6,
  flags = 7,
  pickupPreService = 8,
  pickupPostService = 9,
  dropoffPreService = 10,
  dropoffPostService = 11,
  placedAt = 12,
};
}
constexpr int ORDER_COLUMNS = 13;

namespace KnownFlag {
enum : int { ready = 1, pickupWait = 2, handover = 4 };
}

namespace PlaceColumn {
enum : int { x = 0, y = 1, zone = 2 };
}
constexpr int PLACE_COLUMNS = 3;

namespace OrderFeatureColumn {
enum : int {
  merchantMeanPrepMinutes = 0,
  merchantStdPrepMinutes = 1,
  merchantOpenOrders = 2,
  itemCount = 3,
  elapsedSincePlacedMinutes = 4,
  pickupWaitMeanMinutes = 5,
  handoverMeanMinutes = 6,
  dropoffFloor = 7,
};
}
constexpr int ORDER_FEATURE_COLUMNS = 8;

namespace CandidateColumn {
enum : int { courier = 0, firstOrder = 1 };
}

namespace PlanRecord {
enum : int { courier = 0, orderCount = 2, flags = 3, orders = 4, cost = 16, stops = 24 };
}
constexpr int PLAN_RECORD_BYTES = 32;

namespace PlanFlag {
enum : int { feasible = 1, unproven = 2 };
}

namespace OrderTimeColumn {
enum : int { roundIndex = 0, readyAt = 1, pickupPostService = 2, dropoffPostService = 3 };
}
constexpr int ORDER_TIME_COLUMNS = 4;

namespace Phase {
enum : int { copyIn = 0, etr = 2, planning = 4, copyOut = 6 };
}
constexpr int PHASE_VALUES = 8;

namespace EtrFeature {
enum : int {
  isLegRow = 0,
  sinTimeOfDay = 1,
  cosTimeOfDay = 2,
  isWeekend = 3,
  rain = 4,
  traffic = 5,
  orderFeatures = 6,
  directKilometres = 14,
  vehicle = 15,
  reserved = 19,
};
}
constexpr int ETR_FEATURES = 20;

namespace EtrOutput {
enum : int {
  prepP50 = 0,
  prepP90 = 1,
  waitP50 = 2,
  waitP90 = 3,
  handoverP50 = 4,
  handoverP90 = 5,
  rideP50 = 6,
  rideP90 = 7,
};
}
constexpr int ETR_OUTPUTS = 8;

}  // namespace roundhouse::candidate_cost::layout
