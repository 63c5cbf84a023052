// All 480 samples of ../shared/or: proven optima with the lexicographically smallest sequence.
#include <memory>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "../../cuda/route_planner/algo/walk.hpp"
#include "check.hpp"
#include "enumeration.hpp"
#include "or_samples.hpp"

namespace {

using namespace roundhouse;

void checkSample(const std::string& file, const test::Sample& sample, route_planner::Workspace& workspace) {
  static route_planner::Prepared prepared;
  const std::string name = file + " id " + std::to_string(sample.id);
  if (!CHECK_THAT(prepare(sample.problem, prepared) == route_planner::PrepareStatus::ok, name)) return;
  const route_planner::Plan plan = solve(prepared, workspace);
  const std::string got = std::to_string(plan.cost) + ": " + test::sequenceText(plan);
  CHECK_THAT(plan.feasible && !plan.unproven, name);
  CHECK_THAT(got == std::to_string(sample.cost) + ": " + sample.sequence, name + " got " + got);
  const route_planner::WalkResult walked = walk(sample.problem, plan.stops);
  CHECK_THAT(walked.feasible && walked.cost == sample.cost, name + " walked");
  const auto again = test::Enumeration(sample.problem).walkOnly({plan.stops, plan.stops + plan.stopCount});
  CHECK_THAT(again && again->cost == sample.cost, name + " walked by the independent checker");
}

}  // namespace

int main() {
  const std::string folder = test::sharedFolder(ROUNDHOUSE_DEFAULT_SHARED) + "/or";
  const auto workspace = std::make_unique<route_planner::Workspace>();
  resetWorkspace(*workspace);
  int count = 0;
  for (const char* file : {"city_n2", "city_n3", "city_n4", "city_n5", "city_n6", "edge_n1", "edge_n2", "edge_n3",
                           "edge_n4", "edge_n5", "edge_n6", "worst_n5"}) {
    for (const test::Sample& sample : test::readSamples(folder, file)) {
      checkSample(file, sample, *workspace);
      ++count;
    }
  }
  if (count == 0) {
    test::skip("no samples in " + folder + "; set SHARED_DIR");
  } else {
    CHECK_EQUAL(count, 480);
  }
  return test::finish();
}
