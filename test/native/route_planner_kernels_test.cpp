// The GPU kernels' code, compiled for the CPU, against the planner: the unrolled trees as they are, a warp's 32 lanes as
// fibers. What only a GPU shows (memory order, launches, copies) is `route_planner_gpu_bench`'s to check.
#include <cstring>
#include <memory>
#include <vector>

#include "check.hpp"
#include "planner_on_fibers.hpp"
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
    {"7 orders", 7, 7, 900, 2000, 10, 2, kNever, kNever, kNever, kNever, 1, 9, true},
    {"7, ties", 7, 7, 3, 4, 2, 2, kNever, kNever, kNever, kNever, 1, 9, false},
    {"7, mixed", 7, 7, 90, 300, 10, 4, 3, 9, 9, 4, 2, 9, false},
    {"heuristic", 7, 8, 400, 900, 10, 2, 3, 4, 5, 3, 2, 9, false},
    {"rescue", 7, 8, 300, 500, 4, 3, 6, 2, 2, 3, 2, 3, false},
};

struct Memories {
  Workspace cpu;
  Workspace warp;
  gpu::SearchMemory<5, 192, 256> five;
  gpu::SearchMemory<6, 256, 256> six;
  gpu::SearchMemory<7, 320, 256> seven;
  gpu::SearchMemory<5, 8, 256> small;
};

template <int kOrders, int kStack>
Answer solveSearch(const Problem& whole, const Prepared& problem, gpu::SearchMemory<kOrders, kStack, 256>& memory) {
  alignas(16) int32_t record[gpu::searchRecordWords(kMaxExactStops)] = {};
  gpu::fillSearchRecord(whole, problem, record);
  return test::solveSearch(record, memory);
}

Answer solveTree(const Problem& whole, const Prepared& problem, const Choice& choice) {
  int32_t record[16 * gpu::kMostRecordUnits];
  gpu::fillTreeRecord(whole, problem, choice, record);
  return test::solveTree(record, choice.orders, choice.held, choice.capacity);
}

Answer solveGeneral(const Prepared& problem, Workspace& workspace) {
  Answer answers[32];
  test::FiberLanes::run([&](const test::FiberLanes& lanes) {
    gpu::WarpPlanner<test::FiberLanes> planner(lanes, problem, workspace);
    answers[lanes.lane()] = planner.solve();
  });
  return answers[0];
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

bool samePlan(const Plan& a, const Plan& b) {
  return a.feasible == b.feasible && a.unproven == b.unproven && a.stopCount == b.stopCount && a.cost == b.cost &&
         std::memcmp(a.stops, b.stops, sizeof a.stops) == 0;
}

struct Taken {
  int tree = 0, search = 0, general = 0, infeasible = 0, overflow = 0, overflow7 = 0;
};

void checkProblem(const Problem& problem, const std::string& name, Memories& memories, Taken& taken) {
  static Prepared prepared;
  if (!CHECK_THAT(prepare(problem, prepared) == PrepareStatus::ok, name)) return;
  const Plan plan = solve(prepared, memories.cpu);
  const Choice choice = gpu::choose(prepared);
  taken.infeasible += plan.feasible ? 0 : 1;
  if (choice.kernel == Kernel::tree) {
    ++taken.tree;
    CHECK_THAT(same(solveTree(problem, prepared, choice), plan), name + ": tree");
  }
  if (choice.kernel == Kernel::tree || choice.kernel == Kernel::search) {
    ++taken.search;
    if (choice.orders <= 5) CHECK_THAT(same(solveSearch(problem, prepared, memories.five), plan), name + ": search of 5");
    if (choice.orders <= 6) CHECK_THAT(same(solveSearch(problem, prepared, memories.six), plan), name + ": search of 6");
    const Answer seven = solveSearch(problem, prepared, memories.seven);
    taken.overflow7 += seven.cost == gpu::kUnsolved ? 1 : 0;
    CHECK_THAT(seven.cost == gpu::kUnsolved || same(seven, plan), name + ": search of 7");
    if (choice.orders <= 5) {
      const Answer little = solveSearch(problem, prepared, memories.small);
      taken.overflow += little.cost == gpu::kUnsolved ? 1 : 0;
      CHECK_THAT(little.cost == gpu::kUnsolved || same(little, plan), name + ": stack of 8");
    }
  }
  ++taken.general;
  CHECK_THAT(same(solveGeneral(prepared, memories.warp), plan), name + ": general");
}

/// Makes something wrong, or so large that it may be.
void spoil(test::Random& random, Problem& problem) {
  const auto stop = random.within(1, larger(problem.stopCount, 1));
  const auto order = random.within(0, larger(problem.orderCount - 1, 0));
  switch (random.within(0, 8)) {
    case 0: problem.stops[stop].preService = -1; break;
    case 1: problem.travel[random.within(0, problem.stopCount)][stop] = -5; break;
    case 2: problem.orders[order].size = -1; break;
    case 3: problem.stops[stop].orders = 0; break;
    case 4: problem.stops[stop].orders |= 1u << order; break;
    case 5: problem.stops[stop].orders = 128; break;
    case 6: problem.orders[order].onBoard = !problem.orders[order].onBoard; break;
    case 7: problem.weightFreshness = int64_t{1} << random.within(20, 62); break;
    default: problem.weightDuration = -1; break;
  }
}

/// Words of the record of a problem that was built.
int recordWords(const gpu::Summary& summary, const Choice& choice) {
  if (summary.group > gpu::kGeneralGroup || choice.kernel == Kernel::general) return 0;
  if (summary.group >= gpu::kTreeGroups) return gpu::searchRecordWords(summary.stopCount);
  return gpu::treeForm(choice).words(choice.capacity);
}

/// Problems that teams build are those that single lanes build: statuses, groups and records, word for word.
template <int kTeam>
void checkTeams(bool searches4) {
  std::vector<Problem> problems;
  test::Random random{47};
  for (const test::Family& family : families) {
    for (int index = 0; index < 24; ++index) {
      problems.push_back(test::randomProblem(random, family));
      if (index % 3 == 0) test::splitIntoTrips(random, problems.back());
      if (index % 4 == 0) spoil(random, problems.back());
    }
  }
  problems[2] = Problem{};
  problems[3].stopCount = kMaxStops + 1;
  problems[4].orderCount = -1;
  std::vector<uint8_t> unreadable(problems.size());
  unreadable[5] = unreadable[40] = 1;
  const test::ArraySource source{problems.data(), unreadable.data()};
  const int count = static_cast<int>(problems.size()) - 1;
  test::FiberPlanner<test::ArraySource> alone(source, 1, count, searches4);
  test::FiberPlanner<test::ArraySource, 192, kTeam> together(source, 1, count, searches4);
  int records = 0;
  static Prepared prepared;
  for (int number = 0; number < count; ++number) {
    const gpu::Summary expected = alone.summary(number), found = together.summary(number);
    const std::string name = "team of " + std::to_string(kTeam) + ", problem " + std::to_string(number);
    CHECK_THAT(found.status == expected.status, name + ": status");
    CHECK_THAT(found.group == expected.group, name + ": group");
    if (expected.status != PrepareStatus::ok) continue;
    CHECK_THAT(found.stopCount == expected.stopCount && found.orderCount == expected.orderCount, name + ": counts");
    CHECK_THAT(prepare(problems[static_cast<size_t>(number) + 1], prepared) == PrepareStatus::ok, name);
    const int words = recordWords(expected, gpu::choose(prepared));
    records += words > 0 ? 1 : 0;
    CHECK_THAT(std::memcmp(alone.record(number), together.record(number), sizeof(int32_t) * words) == 0, name + ": record");
  }
  CHECK_EQUAL(gpu::firstOf(together.counters(), gpu::kGroups), static_cast<uint32_t>(count));
  CHECK_EQUAL(together.counters().arena, alone.counters().arena);
  CHECK(records > count / 3);
}

/// A way's index without a loop is its index by counting.
void checkWayIndices() {
  for (int orders = 1; orders <= gpu::kTreeOrders; ++orders) {
    for (int held = 0; held <= orders; ++held) {
      const gpu::TreeForm form{orders, held};
      for (int from = -1; from < form.stops(); ++from) {
        for (int to = 0; to < form.stops(); ++to) {
          if (form.hasWay(from, to)) CHECK_EQUAL(gpu::detail::wayIndexOf(form, from, to), form.wayIndex(from, to));
        }
      }
    }
  }
}

/// Whole batches: built, grouped and solved as the device does it; the source's problems begin at number `first`. With a
/// stack of 8 labels nearly every search of 5 orders gives up and is solved by the general kernel. `smallWarps`: as a batch
/// of few problems by so many warps, or 0.
template <int kStack>
void checkBatch(int first, int each, uint32_t smallWarps, Workspace& workspace) {
  std::vector<Problem> problems;
  test::Random random{31};
  for (const test::Family& family : families) {
    for (int index = 0; index < each; ++index) {
      problems.push_back(test::randomProblem(random, family));
      if (index % 3 == 0) test::splitIntoTrips(random, problems.back());
    }
  }
  const int count = static_cast<int>(problems.size()) - first;
  std::vector<uint8_t> unreadable(problems.size());
  problems[first + 3].weightLateness = -1;
  problems[first + 4] = Problem{};
  unreadable[first + 5] = 1;
  test::FiberPlanner<test::ArraySource, kStack> planner({problems.data(), unreadable.data()}, first, count,
                                                        smallWarps > 0);
  if (smallWarps > 0) {
    planner.solveSmall(smallWarps);
  } else {
    planner.solve();
  }
  static Prepared prepared;
  for (int number = 0; number < count; ++number) {
    const Problem& problem = problems[first + number];
    const gpu::Summary summary = planner.summary(number);
    const std::string name = "batch, problem " + std::to_string(number);
    const PrepareStatus status = number == 5 ? gpu::kUnreadable : prepare(problem, prepared);
    CHECK_THAT(summary.status == status, name);
    const Plan expected = status == PrepareStatus::ok ? solve(prepared, workspace) : Plan{};
    CHECK_THAT(samePlan(planner.plan(number), expected), name);
  }
  CHECK(planner.summary(3).status == PrepareStatus::negativeWeight);
  CHECK_EQUAL(int{planner.summary(4).group}, int{gpu::kNoneGroup});
  CHECK_EQUAL(planner.counters().perGroup[gpu::kRefusedGroup], 2u);
  CHECK_EQUAL(gpu::firstOf(planner.counters(), gpu::kGroups), static_cast<uint32_t>(count));
  CHECK_THAT(kStack > 8 || planner.counters().unsolved > 0, "no search gave up");
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 60;
  const auto memories = std::make_unique<Memories>();
  resetWorkspace(memories->cpu);
  resetWorkspace(memories->warp);
  checkBatch<192>(0, 40, 0, memories->cpu);
  checkBatch<8>(45, 12, 0, memories->cpu);
  checkBatch<192>(0, 40, 3, memories->cpu);
  // More warps than work.
  checkBatch<8>(45, 12, 400, memories->cpu);
  checkWayIndices();
  for (const bool searches4 : {false, true}) {
    checkTeams<2>(searches4);
    checkTeams<4>(searches4);
    checkTeams<8>(searches4);
    checkTeams<16>(searches4);
    checkTeams<32>(searches4);
  }
  for (const test::Family& family : families) {
    test::Random random{2027};
    Taken taken;
    for (int index = 0; index < count; ++index) {
      Problem problem = test::randomProblem(random, family);
      if (index % 3 == 0) test::splitIntoTrips(random, problem);
      checkProblem(problem, std::string(family.name) + " " + std::to_string(index), *memories, taken);
    }
    std::printf("%-13s tree %d, search %d, general %d; infeasible %d, stack of 8 too small %d, of 320 %d\n", family.name,
                taken.tree, taken.search, taken.general, taken.infeasible, taken.overflow, taken.overflow7);
  }
  return test::finish();
}
