#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "../../cuda/route_planner/gpu/general.hpp"
#include "../../cuda/route_planner/gpu/search.hpp"
#include "../../cuda/route_planner/gpu/small_batch.hpp"
#include "../../cuda/route_planner/gpu/team_build.hpp"
#include "fiber_lanes.hpp"

/// The device planner's steps on the CPU: every record built, placed and solved by the kernels' own code.
namespace roundhouse::test {

using namespace route_planner;

template <int kOrders, int kHeld>
gpu::Answer solveTreeRecord(const int32_t* record, bool capacity) {
  gpu::TreeProblem<kOrders, kHeld> tree;
  if (capacity) {
    gpu::readTreeRecord<kOrders, kHeld, true>(record, tree);
    gpu::Tree<kOrders, kHeld, true> search(tree);
    search.search();
    return gpu::treeAnswer(search.best);
  }
  gpu::readTreeRecord<kOrders, kHeld, false>(record, tree);
  gpu::Tree<kOrders, kHeld, false> search(tree);
  search.search();
  return gpu::treeAnswer(search.best);
}

template <int kOrders, int kHeld = 0>
gpu::Answer solveTreeHeld(const int32_t* record, int held, bool capacity) {
  if (held == kHeld) return solveTreeRecord<kOrders, kHeld>(record, capacity);
  if constexpr (kHeld < kOrders) return solveTreeHeld<kOrders, kHeld + 1>(record, held, capacity);
  return {gpu::kUnsolved, 0};
}

inline gpu::Answer solveTree(const int32_t* record, int orders, int held, bool capacity) {
  switch (orders) {
    case 1: return solveTreeHeld<1>(record, held, capacity);
    case 2: return solveTreeHeld<2>(record, held, capacity);
    case 3: return solveTreeHeld<3>(record, held, capacity);
    default: return solveTreeHeld<4>(record, held, capacity);
  }
}

template <int kOrders, int kStack, int kMemo>
gpu::Answer solveSearch(const int32_t* record, gpu::SearchMemory<kOrders, kStack, kMemo>& memory) {
  gpu::Answer answers[32];
  FiberLanes::run([&](const FiberLanes& lanes) {
    gpu::WarpSearch<FiberLanes, kOrders, kStack, kMemo> search(lanes, memory);
    answers[lanes.lane()] = search.solve(record);
  });
  return answers[0];
}

/// Problems in an array, as a source; those marked unreadable can't be built.
struct ArraySource {
  const Problem* problems;
  const uint8_t* unreadable = nullptr;

  bool operator()(int index, Problem& out) const {
    out = problems[index];
    return unreadable == nullptr || unreadable[index] == 0;
  }

  struct Scratch {
    int32_t unused;
  };
  template <class Team>
  bool together(const Team& team, int index, bool exists, Problem& out, Scratch&) const {
    const bool readable = exists && (unreadable == nullptr || unreadable[index] == 0);
    if (team.lane() == 0) {
      out = {};
      if (readable) out = problems[index];
    }
    team.sync();
    return readable;
  }
};

/// Builds all problems of a batch, `kTeam` lanes each; 1: each lane one of its own.
template <int kTeam, class Source>
void buildOnFibers(const Source& source, const gpu::Building& batch) {
  if constexpr (kTeam == 1) {
    for (int warp = 0; warp < batch.count; warp += 32) {
      FiberLanes::run([&](const FiberLanes& lanes) { gpu::buildProblem(lanes, source, batch, warp + lanes.lane()); });
    }
  } else {
    std::vector<gpu::TeamMemory<Source, kTeam>> memory(32 / kTeam);
    for (int first = 0; first < batch.count; first += 32 / kTeam) {
      // Nothing of an earlier problem is read.
      std::memset(static_cast<void*>(memory.data()), 0x5a, memory.size() * sizeof memory[0]);
      FiberLanes::run([&](const FiberLanes& lanes) {
        const int team = lanes.lane() / kTeam;
        gpu::buildTogether<kTeam>(lanes, source, batch, first + team, memory[static_cast<size_t>(team)]);
      });
    }
  }
}

/// A batch of problems that was built, by teams of `kTeam` lanes, and placed. `kStack` labels for searches of up to 5 orders.
template <class Source, int kStack = 192, int kTeam = 1>
class FiberPlanner {
 public:
  FiberPlanner(const Source& source, int first, int count, bool searches4 = false)
      : source_(source), arena_(static_cast<size_t>(count) * gpu::kMostRecordUnits), places_(count), items_(2 * count),
        summaries_(count), answers_(count), scratch_(std::make_unique<gpu::GeneralScratch>()) {
    std::memset(static_cast<void*>(scratch_.get()), 0, sizeof(gpu::GeneralScratch));
    batch_ = {first,          count,           reinterpret_cast<std::byte*>(arena_.data()), places_.data(), items_.data(),
              summaries_.data(), answers_.data(), &counters_, searches4};
    buildOnFibers<kTeam>(source_, batch_);
    for (int group = 0; group <= gpu::kGroups; ++group) firsts_[group] = gpu::firstOf(counters_, group);
    for (int number = 0; number < count; ++number) gpu::placeItem(batch_, number, firsts_);
  }

  void solve() {
    for (int group = 0; group < gpu::kGeneralGroup; ++group) {
      for (uint32_t at = firsts_[group]; at < firsts_[group + 1]; ++at) solveItem(group, items_[at]);
    }
    FiberLanes::run([&](const FiberLanes& lanes) {
      gpu::solveGenerals(lanes, source_, batch_, firsts_[gpu::kGeneralGroup], *scratch_);
    });
  }

  /// As the kernel for few problems does, with `warps` of them one after the other; the problems are built for it.
  void solveSmall(uint32_t warps) {
    for (uint32_t warp = 0; warp < warps; ++warp) {
      FiberLanes::run([&](const FiberLanes& lanes) {
        gpu::solveSmallBatch(lanes, batch_, warp, warps, small_);
      });
    }
    FiberLanes::run([&](const FiberLanes& lanes) {
      gpu::solveGenerals(lanes, source_, batch_, gpu::kFirstByCounters, *scratch_);
    });
  }

  const gpu::Counters& counters() const { return counters_; }
  const gpu::Summary& summary(int number) const { return summaries_[number]; }
  const gpu::Answer& answer(int number) const { return answers_[number]; }
  /// Of a problem that a fast kernel solves.
  const int32_t* record(int number) const { return arena_[places_[static_cast<size_t>(number)].offset].words; }
  Plan plan(int number) const { return gpu::planOf(answers_[number], summaries_[number]); }

 private:
  struct alignas(16) Unit {
    int32_t words[4];
  };

  void solveItem(int group, const gpu::Item& item) {
    const int32_t* record = arena_[item.offset].words;
    const int orders = summaries_[item.index].orderCount;
    gpu::Answer& answer = answers_[item.index];
    if (group < gpu::kTreeGroups) {
      const int inSize = group - gpu::firstTreeGroup(orders);
      answer = solveTree(record, orders, inSize / 2, inSize % 2 == 1);
    } else if (group < gpu::firstSearchGroup(6)) {
      answer = solveSearch(record, five_);
    } else {
      answer = group < gpu::firstSearchGroup(7) ? solveSearch(record, six_) : solveSearch(record, seven_);
    }
    if (answer.cost == gpu::kUnsolved) items_[firsts_[gpu::kGeneralGroup + 1] + counters_.unsolved++] = item;
  }

  Source source_;
  std::vector<Unit> arena_;
  std::vector<gpu::Place> places_;
  std::vector<gpu::Item> items_;
  std::vector<gpu::Summary> summaries_;
  std::vector<gpu::Answer> answers_;
  std::unique_ptr<gpu::GeneralScratch> scratch_;
  gpu::Counters counters_{};
  gpu::Building batch_{};
  uint32_t firsts_[gpu::kGroups + 1] = {};
  gpu::SearchMemory<5, kStack, 128> five_;
  gpu::SearchMemory<6, 256, 128> six_;
  gpu::SearchMemory<7, 320, 128> seven_;
  gpu::SmallMemory<7, kStack, 128> small_;
};

}  // namespace roundhouse::test
