#include "problem_batch.hpp"

#include <memory>

#include "../../../cuda/candidate_cost/algo/tables.hpp"
#include "../../../cuda/route_planner/algo/packed.hpp"
#include "planner_failure.hpp"

namespace roundhouse::planner {
namespace {

using namespace route_planner;

void require(const PackedFault& fault) {
  if (fault.name == nullptr) return;
  throw PlannerFailure("PAYLOAD_INVALID",
                       std::string(fault.name) + " of a packed problem is " + std::to_string(fault.value));
}

void requireWords(std::span<const int32_t> words, size_t at, size_t count) {
  if (words.size() - at < count) throw PlannerFailure("PAYLOAD_INVALID", "packed problems end in the middle of one");
}

void appendAnswer(PrepareStatus status, const Plan& plan, std::vector<int64_t>& answers) {
  const int flags = (plan.feasible ? 1 : 0) | (plan.unproven ? 2 : 0);
  const auto stops = static_cast<int64_t>(candidate_cost::detail::packStops(plan));
  answers.insert(answers.end(), {static_cast<int64_t>(status), flags, plan.cost, stops, plan.nodes});
}

}  // namespace

Problem unpackProblem(std::span<const int32_t> words, size_t& at) {
  requireWords(words, at, 2);
  const int32_t* const start = words.data() + at;
  const PackedCounts counts = readPackedCounts(start);
  require(checkPackedCounts(counts));
  const auto count = static_cast<size_t>(packedWords(counts.orders, counts.stops));
  requireWords(words, at, count);
  Problem problem{};
  require(unpack(start, counts, problem));
  at += count;
  return problem;
}

std::vector<int64_t> solvePacked(const std::vector<int32_t>& words, bool exact) {
  const auto workspace = std::make_unique<Workspace>();
  const auto prepared = std::make_unique<Prepared>();
  resetWorkspace(*workspace);
  std::vector<int64_t> answers;
  for (size_t at = 0; at < words.size();) {
    const Problem problem = unpackProblem(words, at);
    const PrepareStatus status = prepare(problem, *prepared);
    Plan plan{};
    if (status == PrepareStatus::ok) {
      plan = exact ? solveExact(*prepared, *workspace) : solve(*prepared, *workspace);
    }
    appendAnswer(status, plan, answers);
  }
  return answers;
}

}  // namespace roundhouse::planner
