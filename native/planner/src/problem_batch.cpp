#include "problem_batch.hpp"

#include <memory>

#include "../../../cuda/candidate_cost/algo/tables.hpp"
#include "planner_failure.hpp"

namespace roundhouse::planner {
namespace {

using namespace route_planner;

/// Reads words one by one and refuses to read past the end.
class WordReader {
 public:
  WordReader(const std::vector<int32_t>& words, size_t& at) : words_(words), at_(at) {}

  int32_t next() {
    if (at_ >= words_.size()) throw PlannerFailure("PAYLOAD_INVALID", "packed problems end in the middle of one");
    return words_[at_++];
  }
  int64_t nextWide() {
    const auto low = static_cast<uint32_t>(next());
    const auto high = static_cast<uint32_t>(next());
    return static_cast<int64_t>(static_cast<uint64_t>(high) << 32 | low);
  }
  int32_t nextWithin(int32_t least, int32_t most, const char* name) {
    const int32_t value = next();
    if (value < least || value > most) {
      throw PlannerFailure("PAYLOAD_INVALID", std::string(name) + " of a packed problem is " + std::to_string(value));
    }
    return value;
  }

 private:
  const std::vector<int32_t>& words_;
  size_t& at_;
};

void readOrders(WordReader& reader, Problem& problem) {
  for (int index = 0; index < problem.orderCount; ++index) {
    Order& order = problem.orders[index];
    order.ready = reader.next();
    order.promised = reader.next();
    order.latestDropoff = reader.nextWide();
    order.size = reader.next();
    order.onBoard = reader.nextWithin(0, 1, "onBoard") == 1;
  }
}

void readStops(WordReader& reader, Problem& problem) {
  for (int number = 1; number <= problem.stopCount; ++number) {
    Stop& stop = problem.stops[number];
    stop.kind = reader.nextWithin(0, 1, "kind") == 0 ? StopKind::pickup : StopKind::dropoff;
    stop.group = reader.nextWithin(0, 1, "group") == 0 ? Group::held : Group::bundle;
    stop.orders = static_cast<uint8_t>(reader.nextWithin(0, 255, "orders"));
    stop.preService = reader.next();
    stop.postService = reader.next();
  }
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 0; to <= problem.stopCount; ++to) problem.travel[from][to] = reader.next();
  }
}

void appendAnswer(PrepareStatus status, const Plan& plan, std::vector<int64_t>& answers) {
  const int flags = (plan.feasible ? 1 : 0) | (plan.unproven ? 2 : 0);
  const auto stops = static_cast<int64_t>(candidate_cost::detail::packStops(plan));
  answers.insert(answers.end(), {static_cast<int64_t>(status), flags, plan.cost, stops, plan.nodes});
}

}  // namespace

Problem unpackProblem(const std::vector<int32_t>& words, size_t& at) {
  WordReader reader(words, at);
  Problem problem{};
  problem.orderCount = reader.nextWithin(0, kMaxOrders, "orderCount");
  problem.stopCount = reader.nextWithin(0, kMaxStops, "stopCount");
  problem.capacity = reader.next();
  problem.startAt = reader.next();
  problem.interleave = reader.nextWithin(0, 1, "interleave") == 1;
  problem.latestPickup = reader.nextWide();
  problem.weightLateness = reader.nextWide();
  problem.weightDuration = reader.nextWide();
  problem.weightFreshness = reader.nextWide();
  readOrders(reader, problem);
  readStops(reader, problem);
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
