// The GPU kernels' code, compiled for the CPU, against the planner: the unrolled trees as they are, a warp's 32 lanes as
// fibers. What only a GPU shows (memory order, launches, copies) is `route_planner_gpu_bench`'s to check.
#include <cstring>
#include <memory>
#include <vector>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "../../cuda/route_planner/gpu/general.hpp"
#include "../../cuda/route_planner/gpu/packed_batch.hpp"
#include "../../cuda/route_planner/gpu/search.hpp"
#include "check.hpp"
#include "fiber_lanes.hpp"
#include "random_problems.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::route_planner;
using gpu::Answer;
using gpu::Choice;
using gpu::Kernel;

constexpr int64_t kHuge = int64_t{1} << 20;
constexpr int kNever = 1 << 30;

//  name             orders travel       times        weight on merge limit shift bundle size Q metric
const test::Family families[] = {
    {"city", 1, 6, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, true},
    {"no triangle", 1, 5, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, false},
    {"ties", 1, 5, 2, 3, 2, 4, 4, kNever, kNever, 2, 1, 3, false},
    {"trees", 1, 4, 3, 4, 2, 3, kNever, kNever, kNever, kNever, 2, 9, false},
    {"all costs 0", 1, 4, 9, 9, 0, 3, 3, 3, 3, 2, 2, 3, false},
    {"hard limits", 1, 6, 300, 700, 10, 3, 3, 2, 2, 3, 3, 6, false},
    {"64-bit costs", 1, 5, INT32_MAX, INT32_MAX, kHuge / 4, 3, 3, 6, 6, 3, 1, 3, false},
    {"memo, ties", 4, 6, 3, 4, 2, 1, 2, 8, 8, 3, 1, 9, false},
    {"memo, mixed", 5, 6, 40, 80, 4, 2, 2, 6, 9, 3, 2, 9, true},
    {"heuristic", 7, 8, 400, 900, 10, 2, 3, 4, 5, 3, 2, 9, false},
    {"rescue", 7, 8, 300, 500, 4, 3, 6, 2, 2, 3, 2, 3, false},
};

struct Memories {
  Workspace cpu;
  Workspace warp;
  gpu::SearchMemory<5, 192, 256> five;
  gpu::SearchMemory<6, 256, 256> six;
  gpu::SearchMemory<5, 8, 256> small;
};

template <int kOrders, int kHeld>
Answer solveTree(const Prepared& problem, bool capacity) {
  int32_t record[gpu::treeRecordWords<kOrders, kHeld>(true)];
  gpu::fillTreeRecord<kOrders, kHeld>(problem, capacity, record);
  gpu::TreeProblem<kOrders, kHeld> tree;
  int64_t best = 0;
  if (capacity) {
    gpu::readTreeRecord<kOrders, kHeld, true>(record, tree);
    gpu::Tree<kOrders, kHeld, true> search(tree);
    search.search();
    best = search.best;
  } else {
    gpu::readTreeRecord<kOrders, kHeld, false>(record, tree);
    gpu::Tree<kOrders, kHeld, false> search(tree);
    search.search();
    best = search.best;
  }
  return gpu::treeAnswer(best);
}

template <int kOrders, int kHeld = 0>
Answer solveTreeHeld(const Prepared& problem, const Choice& choice) {
  if (choice.held == kHeld) return solveTree<kOrders, kHeld>(problem, choice.capacity);
  if constexpr (kHeld < kOrders) return solveTreeHeld<kOrders, kHeld + 1>(problem, choice);
  return {gpu::kUnsolved, 0};
}

template <int kOrders, int kStack>
Answer solveSearch(const Prepared& problem, gpu::SearchMemory<kOrders, kStack, 256>& memory) {
  alignas(16) int32_t record[gpu::searchRecordWords(kOrders)] = {};
  gpu::fillSearchRecord(problem, record);
  Answer answers[32];
  test::FiberLanes::run([&](const test::FiberLanes& lanes) {
    gpu::WarpSearch<test::FiberLanes, kOrders, kStack, 256> search(lanes, memory);
    answers[lanes.lane()] = search.solve(record);
  });
  return answers[0];
}

Answer solveGeneral(const Prepared& problem, Workspace& workspace) {
  Answer answers[32];
  test::FiberLanes::run([&](const test::FiberLanes& lanes) {
    gpu::WarpPlanner<test::FiberLanes> planner(lanes, problem, workspace);
    answers[lanes.lane()] = planner.solve();
  });
  return answers[0];
}

Answer solveTreeOf(const Prepared& problem, const Choice& choice) {
  switch (choice.orders) {
    case 1: return solveTreeHeld<1>(problem, choice);
    case 2: return solveTreeHeld<2>(problem, choice);
    case 3: return solveTreeHeld<3>(problem, choice);
    default: return solveTreeHeld<4>(problem, choice);
  }
}

uint64_t routeOf(const Plan& plan) {
  uint64_t route = 0;
  for (int position = 0; position < plan.stopCount; ++position) {
    route = route << 4 | static_cast<uint64_t>(plan.stops[position] - 1);
  }
  return route;
}

bool same(const Answer& answer, const Plan& plan) {
  if (!plan.feasible) return answer.cost == kInfeasible;
  return answer.cost == plan.cost && answer.route == routeOf(plan);
}

struct Taken {
  int tree = 0, search = 0, general = 0, infeasible = 0, overflow = 0;
};

void checkProblem(const Problem& problem, const std::string& name, Memories& memories, Taken& taken) {
  static Prepared prepared;
  if (!CHECK_THAT(prepare(problem, prepared) == PrepareStatus::ok, name)) return;
  const Plan plan = solve(prepared, memories.cpu);
  const Choice choice = gpu::choose(prepared);
  taken.infeasible += plan.feasible ? 0 : 1;
  if (choice.kernel == Kernel::tree) {
    ++taken.tree;
    CHECK_THAT(same(solveTreeOf(prepared, choice), plan), name + ": tree");
  }
  if (choice.kernel == Kernel::tree || choice.kernel == Kernel::search) {
    ++taken.search;
    if (choice.orders <= 5) CHECK_THAT(same(solveSearch(prepared, memories.five), plan), name + ": search of 5");
    CHECK_THAT(same(solveSearch(prepared, memories.six), plan), name + ": search of 6");
    if (choice.orders <= 5) {
      const Answer little = solveSearch(prepared, memories.small);
      taken.overflow += little.cost == gpu::kUnsolved ? 1 : 0;
      CHECK_THAT(little.cost == gpu::kUnsolved || same(little, plan), name + ": stack of 8");
    }
  }
  ++taken.general;
  CHECK_THAT(same(solveGeneral(prepared, memories.warp), plan), name + ": general");
}

/// A batch of every family: each problem in the group that it is for, its record as the kernels read it.
void checkPacking(int threads, int each) {
  std::vector<Problem> problems;
  test::Random random{31};
  for (const test::Family& family : families) {
    for (int index = 0; index < each; ++index) problems.push_back(test::randomProblem(random, family));
  }
  problems[3].weightLateness = -1;
  problems[4] = Problem{};
  gpu::PackedBatch batch(gpu::plainMemory());
  std::vector<PrepareStatus> statuses(problems.size());
  gpu::WorkerPool workers(threads);
  batch.pack(problems, statuses, workers);
  static Prepared prepared;
  std::vector<int> seen(problems.size());
  for (int group = 0; group < gpu::kGroups; ++group) {
    for (int at = batch.first(group); at < batch.first(group + 1); ++at) {
      const gpu::Item item = batch.items()[at];
      ++seen[item.index];
      CHECK(statuses[item.index] == prepare(problems[item.index], prepared));
      if (statuses[item.index] != PrepareStatus::ok) {
        CHECK_EQUAL(group, int{gpu::kRefusedGroup});
        continue;
      }
      const Choice choice = gpu::choose(prepared);
      CHECK_EQUAL(group, int{gpu::groupOf(choice, prepared.stopCount)});
      if (choice.kernel != Kernel::search) continue;
      int32_t record[gpu::searchRecordWords(6)];
      gpu::fillSearchRecord(prepared, record);
      CHECK(std::memcmp(record, batch.arena() + size_t{16} * item.offset, sizeof(gpu::NarrowHead)) == 0);
    }
  }
  for (const int times : seen) CHECK_EQUAL(times, 1);
  CHECK(statuses[3] == PrepareStatus::negativeWeight);
  CHECK_EQUAL(int{batch.group(4)}, int{gpu::kNoneGroup});
  CHECK_EQUAL(batch.general().size(), batch.generalIndices().size());
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 60;
  const auto memories = std::make_unique<Memories>();
  resetWorkspace(memories->cpu);
  resetWorkspace(memories->warp);
  checkPacking(1, 40);
  checkPacking(4, 400);
  for (const test::Family& family : families) {
    test::Random random{2027};
    Taken taken;
    for (int index = 0; index < count; ++index) {
      checkProblem(test::randomProblem(random, family), std::string(family.name) + " " + std::to_string(index),
                   *memories, taken);
    }
    std::printf("%-13s tree %d, search %d, general %d; infeasible %d, stack of 8 too small %d\n", family.name,
                taken.tree, taken.search, taken.general, taken.infeasible, taken.overflow);
  }
  return test::finish();
}
