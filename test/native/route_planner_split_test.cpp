// Searches that are handed over and solved piece by piece, by the kernels' code with fibers as lanes, against the planner.
#include <cstring>
#include <memory>
#include <vector>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "../../cuda/route_planner/gpu/split.hpp"
#include "check.hpp"
#include "fiber_lanes.hpp"
#include "random_problems.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::route_planner;
using gpu::Answer;

constexpr int kNever = 1 << 30;

//  name             orders travel       times        weight on merge limit shift bundle size Q metric
const test::Family families[] = {
    {"city", 3, 6, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, true},
    {"ties", 3, 6, 2, 3, 2, 4, 4, kNever, kNever, 2, 1, 3, false},
    {"all costs 0", 3, 5, 9, 9, 0, 3, 3, 3, 3, 2, 2, 3, false},
    {"hard limits", 3, 6, 300, 700, 10, 3, 3, 2, 2, 3, 3, 6, false},
    {"one weight", 5, 6, 900, 4000, 1, kNever, kNever, kNever, kNever, kNever, 1, 9, true},
    {"capacity", 5, 6, 900, 2000, 10, kNever, kNever, kNever, kNever, kNever, 2, 3, true},
    {"7, mixed", 7, 7, 90, 300, 10, 2, 3, 9, 9, 4, 2, 9, false},
};

/// A batch of one problem; its record is the third of the arena, its answer the fifth.
struct OneSearch {
  static constexpr uint32_t kOffset = 3 * gpu::kMostRecordUnits;
  struct alignas(16) Unit {
    int32_t words[4];
  };
  std::vector<Unit> arena = std::vector<Unit>(4 * gpu::kMostRecordUnits);
  std::vector<gpu::Item> items = std::vector<gpu::Item>(8, gpu::Item{0, 0});
  std::vector<Answer> answers = std::vector<Answer>(8, Answer{-1, 0});
  std::vector<gpu::HardSearch> hard = std::vector<gpu::HardSearch>(gpu::kMostHard);
  gpu::Counters counters{};
  gpu::Building batch{};
  gpu::Item item{kOffset, 5};

  OneSearch(const Problem& problem, const Prepared& prepared) {
    gpu::fillSearchRecord(problem, prepared, arena[kOffset].words);
    batch.d_arena = reinterpret_cast<std::byte*>(arena.data());
    batch.d_items = items.data();
    batch.d_answers = answers.data();
    batch.d_counters = &counters;
    batch.d_hard = hard.data();
  }

  template <int kStack>
  Answer search(int mostRounds, gpu::SearchMemory<7, kStack, 128>& memory) {
    Answer found[32];
    test::FiberLanes::run([&](const test::FiberLanes& lanes) {
      gpu::WarpSearch<test::FiberLanes, 7, kStack, 128> search(lanes, memory);
      found[lanes.lane()] = search.solve(arena[kOffset].words, mostRounds, [&](int32_t cheapest) {
        return gpu::handOver(lanes, batch, item, cheapest);
      });
    });
    return found[0];
  }

  template <int kStack>
  void pieces(gpu::SearchMemory<7, kStack, 128>& memory) {
    test::FiberLanes::run([&](const test::FiberLanes& lanes) { gpu::solvePieces(lanes, batch, 2, memory); });
  }
};

bool same(const Answer& answer, const Plan& plan) {
  if (!plan.feasible) return answer.cost == kInfeasible;
  uint64_t route = 0;
  for (int at = 0; at < plan.stopCount; ++at) route = route << 4 | static_cast<uint64_t>(plan.stops[at] - 1);
  return answer.cost == plan.cost && answer.route == route;
}

struct Seen {
  int handedOver = 0, infeasible = 0, overflows = 0;
};

void checkProblem(const Problem& problem, const std::string& name, Workspace& workspace, Seen& seen) {
  static Prepared prepared;
  static gpu::SearchMemory<7, 320, 128> memory;
  static gpu::SearchMemory<7, 12, 128> little;
  if (!CHECK_THAT(prepare(problem, prepared) == PrepareStatus::ok, name)) return;
  const auto choice = gpu::choose(prepared);
  if (choice.kernel != gpu::Kernel::search && choice.kernel != gpu::Kernel::tree) return;
  if (prepared.stopCount < 4) return;
  const Plan plan = solve(prepared, workspace);
  seen.infeasible += plan.feasible ? 0 : 1;
  // Before the first round, with no cost known, and in the middle.
  for (const int rounds : {0, 2, 7, 40}) {
    OneSearch one(problem, prepared);
    Answer answer = one.search(rounds, memory);
    if (answer.cost == gpu::kHandedOver) {
      ++seen.handedOver;
      one.pieces(memory);
      answer = one.answers[5];
      CHECK_EQUAL(one.counters.unsolved, 0u);
    }
    CHECK_THAT(same(answer, plan), name + ", handed over after " + std::to_string(rounds));
  }
  OneSearch full(problem, prepared);
  full.counters.hard = gpu::kMostHard;
  CHECK_THAT(same(full.search(2, memory), plan), name + ": no room to hand over");
  // With little stack some piece gives up, and so does the whole.
  OneSearch shallow(problem, prepared);
  if (shallow.search(0, little).cost != gpu::kHandedOver) return;
  shallow.pieces(little);
  if (shallow.answers[5].cost == gpu::kUnsolved) {
    ++seen.overflows;
    CHECK_EQUAL(shallow.counters.unsolved, 1u);
    CHECK_EQUAL(shallow.items[2].index, 5u);
  } else {
    CHECK_THAT(same(shallow.answers[5], plan), name + ", little stack");
  }
}

}  // namespace

int main() {
  const auto workspace = std::make_unique<Workspace>();
  resetWorkspace(*workspace);
  int overflows = 0;
  for (const test::Family& family : families) {
    test::Random random{91};
    Seen seen;
    for (int index = 0; index < 25; ++index) {
      checkProblem(test::randomProblem(random, family), std::string(family.name) + " " + std::to_string(index), *workspace,
                   seen);
    }
    std::printf("%-11s handed over %d, infeasible %d, too little stack %d\n", family.name, seen.handedOver, seen.infeasible,
                seen.overflows);
    CHECK_THAT(seen.handedOver > 0, std::string(family.name) + ": none was handed over");
    overflows += seen.overflows;
  }
  CHECK(overflows > 0);
  return test::finish();
}
