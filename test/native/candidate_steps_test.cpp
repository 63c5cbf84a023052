// The steps that the kernels of candidate_cost take, run on the CPU for batches of random shards, against the code that
// serves instances on the CPU: the same features, times, records and faults.
#include <array>
#include <cstring>
#include <limits>

#include "../../cuda/backend/error.hpp"
#include "../../cuda/candidate_cost/gpu/table_bytes.hpp"
#include "../gpu/matrix_folder.hpp"
#include "check.hpp"
#include "host_batch.hpp"
#include "planner_on_fibers.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::candidate_cost;
using namespace roundhouse::candidate_cost::gpu;
using test::Random;
namespace P = layout::Param;

template <typename Body>
std::string errorOf(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool sameStop(const route_planner::Stop& a, const route_planner::Stop& b) {
  return a.kind == b.kind && a.group == b.group && a.orders == b.orders && a.preService == b.preService &&
         a.postService == b.postService;
}

bool sameOrder(const route_planner::Order& a, const route_planner::Order& b) {
  return a.ready == b.ready && a.promised == b.promised && a.latestDropoff == b.latestDropoff && a.size == b.size &&
         a.onBoard == b.onBoard;
}

/// In all that is read of a problem.
bool sameProblem(const route_planner::Problem& a, const route_planner::Problem& b) {
  bool same = a.stopCount == b.stopCount && a.orderCount == b.orderCount && a.weightLateness == b.weightLateness &&
              a.weightDuration == b.weightDuration && a.weightFreshness == b.weightFreshness && a.startAt == b.startAt &&
              a.capacity == b.capacity && a.latestPickup == b.latestPickup && a.interleave == b.interleave;
  for (int order = 0; same && order < a.orderCount; ++order) same = sameOrder(a.orders[order], b.orders[order]);
  for (int stop = 1; same && stop <= a.stopCount; ++stop) {
    same = sameStop(a.stops[stop], b.stops[stop]);
    for (int from = 0; from <= a.stopCount; ++from) same = same && a.travel[from][stop] == b.travel[from][stop];
  }
  return same;
}

/// Teams gather the problems that single threads gather.
template <int kSize>
void checkTeams(const HostBatch& batch) {
  constexpr int kTeams = 32 / kSize;
  const TeamCandidateSource source{{batch.view}};
  for (int first = 0; first < batch.view.candidates; first += kTeams) {
    route_planner::Problem problems[kTeams];
    TeamCandidateSource::Scratch scratch[kTeams];
    bool found[32] = {};
    std::memset(static_cast<void*>(problems), 0x5a, sizeof problems);
    std::memset(static_cast<void*>(scratch), 0x5a, sizeof scratch);
    test::FiberLanes::run([&](const test::FiberLanes& lanes) {
      const route_planner::gpu::Team<test::FiberLanes, kSize> team(lanes);
      const int index = first + team.number();
      found[lanes.lane()] = source.together(team, index, index < batch.view.candidates, problems[team.number()],
                                            scratch[team.number()]);
    });
    for (int lane = 0; lane < 32; ++lane) {
      const int index = first + lane / kSize;
      route_planner::Problem expected;
      const bool exists = index < batch.view.candidates && source(index, expected);
      if (!CHECK_EQUAL(found[lane], exists)) return;
      if (exists && lane % kSize == 0) CHECK(sameProblem(problems[lane / kSize], expected));
    }
  }
}

void checkShard(const HostBatch& batch, int number) {
  const Shard& shard = batch.opened[static_cast<std::size_t>(number)];
  const DeviceShard& at = batch.shards[static_cast<std::size_t>(number)];
  std::vector<float> features(shard.needed.count() * layout::ETR_FEATURES);
  gatherFeatures(shard.tables, shard.needed, features.data());
  const float* found = batch.features.data() + std::size_t{layout::ETR_FEATURES} * at.firstRow;
  CHECK(features.empty() || std::memcmp(found, features.data(), sizeof(float) * features.size()) == 0);
  const float* quantiles = batch.quantiles.data() + std::size_t{layout::ETR_OUTPUTS} * at.firstRow;
  const ShardTimes times = shardTimes(shard.tables, shard.needed, quantiles);
  const ShardState& state = batch.states[static_cast<std::size_t>(number)];
  CHECK(std::memcmp(state.rideFactors, times.rideFactors, sizeof state.rideFactors) == 0);
  const std::size_t bytes = sizeof(OrderTimes) * times.orders.size();
  CHECK(std::memcmp(batch.times.data() + at.firstOrder, times.orders.data(), bytes) == 0);
  CHECK(state.isGood());
  const auto workspace = std::make_unique<CandidateWorkspace>();
  route_planner::resetWorkspace(workspace->planner);
  std::vector<std::uint8_t> plans(std::size_t{layout::PLAN_RECORD_BYTES} * shard.tables.candidateCount);
  const std::string failure =
      errorOf([&] { costShard(shard, times, *workspace, [] { return false; }, plans.data()); });
  CHECK_EQUAL(state.refused == kNone, failure.empty());
  if (state.refused == kNone) {
    const std::uint8_t* records = batch.records.data() + std::size_t{layout::PLAN_RECORD_BYTES} * at.firstCandidate;
    CHECK(plans.empty() || std::memcmp(records, plans.data(), plans.size()) == 0);
  } else {
    CHECK_EQUAL(errorOf([&] { refuseProblem(shard, times, state.refused); }), failure);
  }
}

/// 300 shards in batches of 1 to 4, some without orders or candidates, a third by matrix.
void checkRandomShards() {
  Random random{20261130};
  test::MatrixFolder folder("roundhouse-steps");
  const Sha256 hash = folder.add(random, 9);
  MatrixStore matrices(folder.path);
  for (int round = 0; round < 100; ++round) {
    std::vector<ShardValues> values;
    std::vector<Shard> shards;
    for (auto left = random.within(1, 4); left > 0; --left) {
      test::ShardShape shape;
      shape.candidates = random.oneIn(8) ? 0 : static_cast<int>(random.within(1, 60));
      shape.zones = random.oneIn(3) ? 9 : 0;
      values.push_back(test::randomShard(random, shape));
      if (shape.zones > 0) test::nameMatrix(values.back(), hash);
    }
    for (const ShardValues& shard : values) shards.push_back(openShard(shard.bytes(), matrices, CandidateCheck::later));
    HostBatch batch(shards);
    batch.run(random);
    for (int number = 0; number < batch.view.count; ++number) checkShard(batch, number);
    if (round % 4 == 0) checkTeams<8>(batch);
    if (round % 4 == 1) checkTeams<4>(batch);
    if (round % 4 == 2) checkTeams<16>(batch);
    if (round % 4 == 3) checkTeams<32>(batch);
  }
}

/// The lowest wrong row is found, and named as the CPU names it; the neighbours have their plans.
void checkWrongCandidates() {
  Random random{7};
  MatrixStore none("/nowhere");
  std::vector<ShardValues> values = {test::randomShard(random, {}), test::randomShard(random, {}),
                                     test::randomShard(random, {})};
  const std::size_t columns = 4;
  values[1].candidates[57 * columns] = 20;
  values[1].candidates[190 * columns + 1] = 4000;
  const std::string expected = errorOf([&] { openShard(values[1].bytes(), none); });
  CHECK_EQUAL(expected, "PAYLOAD_INVALID: candidates row 57, column courier: 20 is no row of couriers");
  std::vector<Shard> shards;
  for (const ShardValues& shard : values) shards.push_back(openShard(shard.bytes(), none, CandidateCheck::later));
  HostBatch batch(shards);
  batch.run(random);
  CHECK_EQUAL(batch.states[1].wrongCandidate, 57);
  CHECK_EQUAL(errorOf([&] { refuseCandidate(shards[1], 57); }), expected);
  checkTeams<8>(batch);
  checkShard(batch, 0);
  checkShard(batch, 2);
  // A fault that is found on the host beside it does not hide it.
  values[1].params[P::travelKnown] = 0;
  values[1].params[P::dayOfWeek] = 9;
  CHECK_EQUAL(errorOf([&] { openShard(values[1].bytes(), none, CandidateCheck::later); }), expected);
}

/// The first output that is not finite, by row, then by column, as the CPU finds it.
void checkNotFinite() {
  Random random{8};
  MatrixStore none("/nowhere");
  test::ShardShape city;
  city.strange = false;
  const std::vector<ShardValues> values = {test::randomShard(random, city), test::randomShard(random, city)};
  std::vector<Shard> shards;
  for (const ShardValues& shard : values) shards.push_back(openShard(shard.bytes(), none, CandidateCheck::later));
  HostBatch batch(shards);
  batch.forOrders(featuresStep);
  float* rows = batch.quantiles.data();
  rows[8 * 30 + 2] = std::numeric_limits<float>::quiet_NaN();
  rows[8 * 12 + 4] = std::numeric_limits<float>::infinity();
  rows[8 * 12 + 7] = std::numeric_limits<float>::infinity();  // p90 of another kind: never read
  batch.forOrders(timesStep);
  CHECK_EQUAL(batch.states[0].notFinite, 8 * 12 + 4);
  CHECK(batch.states[1].isGood());
  CHECK_EQUAL(errorOf([&] { shardTimes(shards[0].tables, shards[0].needed, rows); }),
              errorOf([&] { requireAllFinite(4); }));
  route_planner::Problem problem;
  const CandidateSource source{batch.view};
  CHECK(!source(0, problem));
  CHECK(source(shards[0].tables.candidateCount, problem));
}

std::vector<std::uint8_t> plansOf(const Shard& shard) {
  std::vector<float> quantiles(shard.needed.count() * layout::ETR_OUTPUTS, 60.0f);
  const ShardTimes times = shardTimes(shard.tables, shard.needed, quantiles.data());
  std::vector<std::uint8_t> plans(static_cast<std::size_t>(shard.tables.candidateCount) * layout::PLAN_RECORD_BYTES);
  const auto workspace = std::make_unique<CandidateWorkspace>();
  route_planner::resetWorkspace(workspace->planner);
  costShard(shard, times, *workspace, [] { return false; }, plans.data());
  return plans;
}

/// Words of the request that change after they were checked, as a peer changes those in shared memory, are not read again;
/// only what a GPU copies for itself points at them.
void checkChanged() {
  Random random{11};
  MatrixStore none("/nowhere");
  ShardValues values = test::randomShard(random, {});
  const Shard shard = openShard(values.bytes(), none);
  CHECK(shard.tables.candidateCount > 0);
  const auto expected = plansOf(shard);
  CHECK(shard.given.couriers == values.couriers.data());
  CHECK(shard.given.candidates == values.candidates.data());
  const auto change = [](auto& words) { std::fill(words.begin(), words.end(), 0x7ff0); };
  change(values.params);
  change(values.couriers);
  change(values.held);
  change(values.orders);
  change(values.places);
  change(values.orderFeatures);
  change(values.candidates);
  CHECK(plansOf(shard) == expected);
}

/// Tables side by side are one stretch; with a page between them, or a kilobyte, they are not.
void checkStretch() {
  Random random{9};
  MatrixStore none("/nowhere");
  const ShardValues values = test::randomShard(random, {});
  const Shard shard = openShard(values.bytes(), none);
  alignas(64) static std::byte slot[1 << 16];
  const auto placed = [&](std::size_t gap) {
    auto tensors = tableBytes(shard.tables);
    std::byte* next = slot;
    for (TensorBytes& tensor : tensors) {
      tensor.data = next;
      next += (tensor.bytes + 63) / 64 * 64 + gap;
    }
    return tensors;
  };
  const auto close = placed(0);
  const TensorBytes stretch = stretchOf(close);
  CHECK(stretch.data == slot);
  CHECK_EQUAL(stretch.bytes, static_cast<uint64_t>(static_cast<const std::byte*>(close[6].data) - slot) + close[6].bytes);
  CHECK_EQUAL(stretchOf(placed(1024)).bytes, 0u);
  // No candidates: what lies at their address plays no part.
  auto without = close;
  without[6] = {nullptr, 0};
  CHECK(stretchOf(without).data == slot);
  std::array<const std::byte*, 7> at{};
  for (std::size_t index = 0; index < at.size(); ++index) at[index] = static_cast<const std::byte*>(close[index].data);
  const auto moved = tableBytes(tablesAt(shard.tables, at));
  for (std::size_t index = 0; index < at.size(); ++index) {
    CHECK(moved[index].data == close[index].data && moved[index].bytes == close[index].bytes);
  }
}

}  // namespace

int main() {
  checkStretch();
  checkChanged();
  checkRandomShards();
  checkWrongCandidates();
  checkNotFinite();
  return test::finish();
}
