// The GPU's plans against the CPU's. On a machine without a GPU, and in a build without CUDA, it says so and is skipped;
// there route_planner_kernels_test runs the same code on the CPU.
#include "check.hpp"

using namespace roundhouse;

#if !defined(ROUNDHOUSE_HAS_CUDA)

int main() {
  test::skip("this build has no CUDA compiler");
  return test::finish();
}

#else

#include <cstring>

#include "../../cuda/route_planner/gpu/gpu_planner.hpp"
#include "../gpu/cpu_planner.hpp"
#include "random_problems.hpp"

using namespace roundhouse::route_planner;

namespace {

constexpr int kNever = 1 << 30;

//  name             orders travel       times        weight on merge limit shift bundle size Q metric
const test::Family families[] = {
    {"trees", 1, 4, 900, 2000, 10, 3, kNever, kNever, kNever, kNever, 2, 6, false},
    {"searches", 1, 6, 300, 700, 10, 3, 3, 4, 4, 3, 3, 6, false},
    {"64-bit costs", 1, 5, INT32_MAX, INT32_MAX, int64_t{1} << 18, 3, 3, 6, 6, 3, 1, 3, false},
    {"7 and 8", 7, 8, 400, 900, 10, 2, 3, 4, 5, 3, 2, 9, false},
};

bool samePlan(const Plan& a, const Plan& b) {
  return a.feasible == b.feasible && a.unproven == b.unproven && a.stopCount == b.stopCount && a.cost == b.cost &&
         std::memcmp(a.stops, b.stops, sizeof a.stops) == 0;
}

std::vector<Problem> drawProblems(const test::Family& family, size_t count) {
  test::Random random{77};
  std::vector<Problem> problems(count);
  for (Problem& problem : problems) problem = test::randomProblem(random, family);
  return problems;
}

void checkFamily(gpu::GpuPlanner& planner, const test::Family& family, size_t count) {
  std::vector<Problem> problems = drawProblems(family, count);
  problems[1].stops[1].postService = -1;  // refused by both
  std::vector<Plan> plans(count), expected(count);
  std::vector<PrepareStatus> statuses(count), expectedStatuses(count);
  test::solveOnCpu(problems, expected, expectedStatuses, 2);
  CHECK(planner.solve(problems, plans, statuses, [] { return false; }));
  for (size_t index = 0; index < count; ++index) {
    CHECK_THAT(statuses[index] == expectedStatuses[index] && samePlan(plans[index], expected[index]),
               std::string(family.name) + " " + std::to_string(index));
  }
}

void checkStop(gpu::GpuPlanner& planner) {
  const std::vector<Problem> problems = drawProblems(families[0], 3000);
  std::vector<Plan> plans(problems.size());
  std::vector<PrepareStatus> statuses(problems.size());
  int asked = 0;
  CHECK(!planner.solve(problems, plans, statuses, [&] { return ++asked == 2; }));
  CHECK_EQUAL(asked, 2);
  CHECK(planner.solve(problems, plans, statuses, [] { return false; }));
}

}  // namespace

int main() {
  if (device::deviceCount() == 0) {
    test::skip("no GPU here");
    return test::finish();
  }
  // Chunks of 1,000: several of them in both slots.
  gpu::GpuPlanner planner({0, 1000, 2});
  CHECK_EQUAL(planner.resources().size(), 16u);
  for (const test::Family& family : families) checkFamily(planner, family, family.leastOrders == 7 ? 300 : 4500);
  checkStop(planner);
  return test::finish();
}

#endif
