#include "solve_request.hpp"

#include "error.hpp"
#include "planner_failure.hpp"
#include "work_poll.hpp"

namespace roundhouse::route_planner {
namespace {

const char* refusal(PrepareStatus status) {
  switch (status) {
    case PrepareStatus::ok: return "";
    case PrepareStatus::tooManyStops: return "has more than 16 stops";
    case PrepareStatus::tooManyOrders: return "has more than 8 orders";
    case PrepareStatus::negativeService: return "has a service below 0";
    case PrepareStatus::negativeTravel: return "has travel below 0";
    case PrepareStatus::negativeWeight: return "has a weight below 0";
    case PrepareStatus::negativeSize: return "has a size below 0";
    case PrepareStatus::stopsInconsistent:
      return "has an order without exactly one drop-off and, unless on board, one pickup";
    case PrepareStatus::costTooLarge: return "could cost more than 2^62: weights and times are too large";
  }
  return "is refused";
}

[[noreturn]] void refuse(std::size_t index, const std::string& reason) {
  throw Error(ErrorCode::payloadInvalid, "tensor 'problems', problem " + std::to_string(index) + " " + reason);
}

Problem readProblem(std::span<const std::int32_t> words, std::size_t& at, std::size_t index) {
  try {
    return planner::unpackProblem(words, at);
  } catch (const planner::PlannerFailure& failure) {
    refuse(index, std::string("can't be read: ") + failure.what());
  }
}

void append(const Plan& plan, Answers& answers) {
  answers.costs.push_back(plan.cost);
  answers.flags.push_back(static_cast<std::uint8_t>((plan.feasible ? 1 : 0) | (plan.unproven ? 2 : 0)));
  for (int position = 0; position < kMaxStops; ++position) {
    answers.sequences.push_back(plan.feasible && position < plan.stopCount ? plan.stops[position] : 0);
  }
}

}  // namespace

std::unique_ptr<SolveMemory> makeSolveMemory() {
  auto memory = std::make_unique<SolveMemory>();
  resetWorkspace(memory->workspace);
  return memory;
}

Answers solveRequest(std::span<const std::int32_t> words, SolveMemory& memory, const std::function<bool()>& stop) {
  Answers answers;
  WorkPoll poll;
  std::int64_t nodes = 0;
  for (std::size_t at = 0; at < words.size();) {
    if (poll.due(nodes + kWorkPerProblem) && stop())
      throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
    const std::size_t index = answers.costs.size();
    const Problem problem = readProblem(words, at, index);
    const PrepareStatus status = prepare(problem, memory.prepared);
    if (status != PrepareStatus::ok) refuse(index, refusal(status));
    const Plan plan = solve(memory.prepared, memory.workspace);
    nodes = plan.nodes;
    append(plan, answers);
  }
  return answers;
}

void refuseProblem(std::span<const std::int32_t> words, std::size_t at, std::size_t index) {
  const auto checked = std::make_unique<Checked>();
  const PrepareStatus status = check(readProblem(words, at, index), *checked);
  if (status != PrepareStatus::ok) refuse(index, refusal(status));
  throw Error(ErrorCode::modelFailed, "the GPU refused problem " + std::to_string(index) + ", the CPU finds no fault in it");
}

}  // namespace roundhouse::route_planner
