#include "measuring.hpp"

#include <ctime>
#include <memory>

#include "planner_failure.hpp"
#include "problem_batch.hpp"

namespace roundhouse::planner {
namespace {

using namespace route_planner;

void enumerate(const Prepared& problem, const Label& label, int stopsLeft, Incumbent& best) {
  if (stopsLeft == 0) {
    detail::offer(best, routeCost(problem, label), label.prefix);
    return;
  }
  for (uint32_t rest = detail::openStops(problem, label.visited); rest != 0; rest &= rest - 1) {
    Label next;
    if (extend(problem, label, lowestBit(rest), next)) enumerate(problem, next, stopsLeft - 1, best);
  }
}

/// Processor time of this thread: what the machine's other work takes doesn't count.
double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Batch {
  std::vector<Problem> problems;
  std::vector<Prepared> prepared;
  std::unique_ptr<Workspace> workspace = std::make_unique<Workspace>();
};

Batch readBatch(const std::vector<int32_t>& words) {
  Batch batch;
  resetWorkspace(*batch.workspace);
  for (size_t at = 0; at < words.size();) {
    batch.problems.push_back(unpackProblem(words, at));
    batch.prepared.emplace_back();
    if (prepare(batch.problems.back(), batch.prepared.back()) != PrepareStatus::ok) {
      throw PlannerFailure("PAYLOAD_INVALID", "a problem to be measured is refused");
    }
  }
  if (batch.problems.empty()) throw PlannerFailure("PAYLOAD_INVALID", "no problem to measure");
  return batch;
}

/// Their sum is returned, so that no compiler leaves a solve out.
int64_t passOver(Batch& batch, Measured what) {
  int64_t sum = 0;
  for (size_t index = 0; index < batch.problems.size(); ++index) {
    Prepared& prepared = batch.prepared[index];
    if (what == Measured::enumeration) {
      Incumbent best{kInfeasible, UINT64_MAX};
      enumerate(prepared, startLabel(prepared), prepared.stopCount, best);
      sum += best.cost != kInfeasible;
    } else {
      if (what == Measured::prepareAndSolve) sum += static_cast<int>(prepare(batch.problems[index], prepared));
      sum += solve(prepared, *batch.workspace).stopCount;
    }
  }
  return sum;
}

}  // namespace

Measurement measurePacked(const std::vector<int32_t>& words, Measured what, double leastSeconds) {
  Batch batch = readBatch(words);
  Measurement result;
  if (what != Measured::enumeration) {
    for (const Prepared& prepared : batch.prepared) {
      const int64_t nodes = solve(prepared, *batch.workspace).nodes;
      result.nodes += nodes;
      result.mostNodes = larger(result.mostNodes, nodes);
    }
  }
  volatile int64_t sink = 0;
  const double start = threadSeconds();
  while (result.seconds < leastSeconds || result.plans == 0) {
    sink = passOver(batch, what);
    result.plans += static_cast<int64_t>(batch.problems.size());
    result.seconds = threadSeconds() - start;
  }
  (void)sink;
  return result;
}

}  // namespace roundhouse::planner
