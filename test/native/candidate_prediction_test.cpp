// What the network is asked for a shard, the columns of its rows, and how its answers become plan times.
#include <cmath>
#include <limits>

#include "../../cuda/backend/error.hpp"
#include "../../cuda/candidate_cost/predictions.hpp"
#include "check.hpp"
#include "error_of.hpp"
#include "shard_fixture.hpp"

namespace {

using roundhouse::test::errorOf;
using namespace roundhouse;
using namespace roundhouse::candidate_cost;
using test::ShardFixture;
namespace C = layout::OrderColumn;
namespace P = layout::Param;
namespace K = layout::KnownFlag;

ShardTables tablesOf(const ShardFixture& shard) {
  ShardTables tables{};
  CHECK(!bindTables(shard.bytes(), tables));
  CHECK(!validateTables(tables, 0));
  return tables;
}

/// Order 0 unknown altogether, order 2 (on board of courier 1) unknown, the others known; ride factors unknown.
ShardFixture unknownShard() {
  ShardFixture shard;
  shard.params[P::travelKnown] = 0;
  shard.params[P::secondsOfDay] = 21600;
  shard.params[P::dayOfWeek] = 6;
  shard.params[P::rainPerMille] = 250;
  shard.params[P::trafficPerMille] = 500;
  shard.order(0, C::flags) = 0;
  shard.order(2, C::flags) = 0;
  for (int column = 0; column < 8; ++column) shard.orderFeatures[column] = static_cast<float>(column + 1);
  return shard;
}

void checkNeededRows() {
  ShardFixture known;
  CHECK_EQUAL(planPrediction(tablesOf(known)).count(), 0u);
  const ShardFixture shard = unknownShard();
  const PredictionRows needed = planPrediction(tablesOf(shard));
  // Orders 0 and 2 and four vehicle classes.
  CHECK_EQUAL(needed.count(), 6u);
  CHECK_EQUAL(needed.orders[0], 0);
  CHECK_EQUAL(needed.orders[1], 2);
  CHECK(needed.onBoard[2]);
  CHECK(!needed.onBoard[3]);
  // On board with a known hand-over: nothing is left to predict.
  ShardFixture delivered = unknownShard();
  delivered.order(2, C::flags) = K::handover;
  CHECK_EQUAL(planPrediction(tablesOf(delivered)).count(), 5u);
}

void checkGather() {
  const ShardFixture shard = unknownShard();
  const ShardTables tables = tablesOf(shard);
  const PredictionRows needed = planPrediction(tables);
  std::vector<float> rows(needed.count() * layout::ETR_FEATURES, -1.0f);
  gatherFeatures(tables, needed, rows.data());
  // 21,600 s of 86,400 s are a quarter turn: sin 1, cos 0. Day 6 is a Sunday.
  CHECK_EQUAL(rows[0], 0.0f);
  CHECK_EQUAL(rows[1], 1.0f);
  CHECK(std::abs(rows[2]) < 1e-7f);
  CHECK_EQUAL(rows[3], 1.0f);
  CHECK_EQUAL(rows[4], 0.25f);
  CHECK_EQUAL(rows[5], 0.5f);
  for (int column = 0; column < 8; ++column) CHECK_EQUAL(rows[6 + column], static_cast<float>(column + 1));
  // Order 0 goes from place 2 (x = 100) to place 4 (x = 110): 10 m.
  CHECK_EQUAL(rows[14], 0.01f);
  for (int column = 15; column < 20; ++column) CHECK_EQUAL(rows[column], 0.0f);
  const float* car = &rows[5 * layout::ETR_FEATURES];
  CHECK_EQUAL(car[0], 1.0f);
  CHECK_EQUAL(car[1], 1.0f);
  for (int column = 6; column < 20; ++column) CHECK_EQUAL(car[column], column == 18 ? 1.0f : 0.0f);
}

/// Six rows of quantiles: p50 columns from `p50`, p90 columns twice that.
std::vector<float> quantilesOf(float prep, float wait, float handover, float ride) {
  std::vector<float> rows;
  for (int row = 0; row < 6; ++row)
    rows.insert(rows.end(), {prep, 2 * prep, wait, 2 * wait, handover, 2 * handover, ride, 2 * ride});
  return rows;
}

ShardTimes timesOf(const ShardFixture& shard, const std::vector<float>& quantiles) {
  const ShardTables tables = tablesOf(shard);
  return shardTimes(tables, planPrediction(tables), quantiles.data());
}

void checkRounding() {
  ShardFixture shard = unknownShard();
  shard.order(0, C::placedAt) = -100;
  // Half up: 300.5 → 301 and 301 − 100 = 201; 99.49 → 99; 0.5 → 1; 1.0625 → 1062.5 ‰ → 1063 ‰.
  ShardTimes times = timesOf(shard, quantilesOf(300.5f, 99.49f, 0.5f, 1.0625f));
  CHECK_EQUAL(times.orders[0].readyAt, 201);
  CHECK_EQUAL(times.orders[0].pickupPostService, 99);
  CHECK_EQUAL(times.orders[0].dropoffPostService, 1);
  for (const int32_t factor : times.rideFactors) CHECK_EQUAL(factor, 1063);
  // p90 is twice as much: 601 − 100 = 501; 198.98 → 199; 1; 2.125 → 2125 ‰.
  shard.params[P::quantile] = 90;
  times = timesOf(shard, quantilesOf(300.5f, 99.49f, 0.5f, 1.0625f));
  CHECK_EQUAL(times.orders[0].readyAt, 501);
  CHECK_EQUAL(times.orders[0].pickupPostService, 199);
  CHECK_EQUAL(times.orders[0].dropoffPostService, 1);
  CHECK_EQUAL(times.rideFactors[0], 2125);
}

void checkLimits() {
  ShardFixture shard = unknownShard();
  shard.order(0, C::placedAt) = -5000;
  // Placed 5,000 s ago and predicted to take 300 s: not known ready, so not before now. −5 s is 0 s, 10^9 s a day.
  ShardTimes times = timesOf(shard, quantilesOf(300, -5, 1e9f, 0.0001f));
  CHECK_EQUAL(times.orders[0].readyAt, 0);
  CHECK_EQUAL(times.orders[0].pickupPostService, 0);
  CHECK_EQUAL(times.orders[0].dropoffPostService, 86400);
  CHECK_EQUAL(times.rideFactors[3], 100);
  CHECK_EQUAL(timesOf(shard, quantilesOf(1, 1, 1, 50)).rideFactors[0], 10000);
  shard.order(0, C::placedAt) = 0x7ffffffe;
  CHECK_EQUAL(timesOf(shard, quantilesOf(300, 1, 1, 1)).orders[0].readyAt, 0x7ffffffe);
}

void checkKnownStays() {
  ShardFixture shard = unknownShard();
  shard.order(0, C::flags) = K::pickupWait;
  const ShardTimes times = timesOf(shard, quantilesOf(600, 77, 88, 1.5f));
  // The fixture's order 0: ready 30, pickup post-service 4, drop-off post-service 5.
  CHECK_EQUAL(times.orders[0].readyAt, 600);
  CHECK_EQUAL(times.orders[0].pickupPostService, 4);
  CHECK_EQUAL(times.orders[0].dropoffPostService, 88);
  // Order 1 is known; order 2 is on board: its ready time (90) and pickup stay, its hand-over is predicted.
  CHECK_EQUAL(times.orders[1].readyAt, 60);
  CHECK_EQUAL(times.orders[2].readyAt, 90);
  CHECK_EQUAL(times.orders[2].pickupPostService, 4);
  CHECK_EQUAL(times.orders[2].dropoffPostService, 88);
  shard.params[P::travelKnown] = 1;
  CHECK_EQUAL(timesOf(shard, quantilesOf(600, 77, 88, 1.5f)).rideFactors[1], 1000);
}

void checkFaults() {
  ShardFixture shard = unknownShard();
  const auto planned = [&] { return errorOf([&] { planPrediction(tablesOf(shard)); }); };
  shard.orderFeatures[2 * 8 + 3] = std::numeric_limits<float>::infinity();
  CHECK_EQUAL(planned(), "PAYLOAD_INVALID: order_features row 2, column itemCount: inf is not finite");
  // A known order's features are never read.
  shard.order(2, C::flags) = 7;
  CHECK_EQUAL(planned(), "");
  shard.params[P::dayOfWeek] = 7;
  CHECK_EQUAL(planned(), "PAYLOAD_INVALID: params row 0, column dayOfWeek: 7 is not within 0..6");
  shard.params[P::dayOfWeek] = 0;
  shard.params[P::secondsOfDay] = 86400;
  CHECK_EQUAL(planned(), "PAYLOAD_INVALID: params row 0, column secondsOfDay: 86400 is not within 0..86399");
  shard.params[P::secondsOfDay] = 0;
  shard.params[P::rainPerMille] = -1;
  CHECK_EQUAL(planned(), "PAYLOAD_INVALID: params row 0, column rainPerMille: -1 is not within 0..1000");
  shard.params[P::rainPerMille] = 0;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_EQUAL(errorOf([&] { timesOf(shard, quantilesOf(nan, 1, 1, 1)); }),
              "MODEL_FAILED: the network gave a value that is not finite in column 0");
}

/// Gives each row its own preparation minutes; throws where a row's item count is 13, or for a call of many rows.
class PickyNetwork final : public delivery_time::Network {
 public:
  explicit PickyNetwork(std::size_t mostRows) : mostRows_(mostRows) {}
  void predict(const float* features, std::size_t rows, float* quantiles) override {
    ++calls;
    if (rows > mostRows_) throw Error(ErrorCode::modelFailed, "too many rows");
    for (std::size_t row = 0; row < rows; ++row, features += layout::ETR_FEATURES) {
      const float* order = features + layout::EtrFeature::orderFeatures;
      if (order[3] == 13) throw Error(ErrorCode::modelFailed, "thirteen");
      quantiles[row * layout::ETR_OUTPUTS] = order[0];
    }
  }
  std::string description() const override { return "picky"; }
  int calls = 0;

 private:
  std::size_t mostRows_;
};

Shard shardOf(const ShardFixture& fixture) {
  Shard shard;
  shard.tables = tablesOf(fixture);
  shard.needed = planPrediction(shard.tables);
  return shard;
}

void checkPredictionsOfABatch() {
  ShardFixture fixtures[] = {unknownShard(), unknownShard(), ShardFixture(), unknownShard()};
  for (int index = 0; index < 4; ++index) fixtures[index].orderFeatures[0] = static_cast<float>(10 + index);
  fixtures[1].orderFeatures[3] = 13;
  const Shard shards[] = {shardOf(fixtures[0]), shardOf(fixtures[1]), shardOf(fixtures[2]), shardOf(fixtures[3])};
  const Shard* batch[] = {&shards[0], &shards[1], &shards[2], nullptr, &shards[3]};
  const auto faultOf = [](const Predictions& predictions, std::size_t index) {
    return errorOf([&] { predictions.of(index); });
  };
  const auto never = [](std::size_t) { return false; };
  // Alone, and in one call that fails for shard 1: 3 calls for the shards that need rows, 1 for all before them.
  for (const bool invariant : {false, true}) {
    PickyNetwork network(100);
    const Predictions predictions(network, invariant, batch, never);
    CHECK_EQUAL(network.calls, invariant ? 4 : 3);
    CHECK_EQUAL(predictions.of(0)[0], 10.0f);
    CHECK_EQUAL(faultOf(predictions, 1), "MODEL_FAILED: thirteen");
    CHECK_EQUAL(faultOf(predictions, 2), "");
    CHECK_EQUAL(predictions.of(4)[0], 13.0f);
  }
  fixtures[1].orderFeatures[3] = 12;
  PickyNetwork together(100);
  const Predictions all(together, true, batch, never);
  CHECK_EQUAL(together.calls, 1);
  CHECK_EQUAL(all.of(1)[0], 11.0f);
  // 6 rows a shard, 18 in all: one call is refused, and three pass.
  PickyNetwork small(6);
  CHECK_EQUAL(faultOf(Predictions(small, true, batch, never), 1), "");
  // One that is cancelled fails alone, and the others have the same rows. Its request is asked for, the null one never.
  PickyNetwork cancelled(100);
  const Predictions rest(cancelled, true, batch, [&](std::size_t index) {
    CHECK(index != 3);
    return index == 1;
  });
  CHECK_EQUAL(faultOf(rest, 1), "DEADLINE_EXCEEDED: the caller cancelled the request");
  CHECK_EQUAL(rest.of(0)[0], 10.0f);
  CHECK_EQUAL(rest.of(4)[0], 13.0f);
}

}  // namespace

int main() {
  checkPredictionsOfABatch();
  checkNeededRows();
  checkGather();
  checkRounding();
  checkLimits();
  checkKnownStays();
  checkFaults();
  return test::finish();
}
