#include "slot.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// Prepared problems in device memory at a time.
constexpr std::size_t kGeneralAtOnce = 4096;

Plan planOf(const Problem& problem, const Answer& answer) {
  Plan plan{};
  plan.feasible = answer.cost != kInfeasible;
  plan.unproven = problem.orderCount > kMaxExactOrders;
  if (!plan.feasible) return plan;
  plan.cost = answer.cost;
  plan.stopCount = problem.stopCount;
  for (int position = 0; position < problem.stopCount; ++position) {
    plan.stops[position] = static_cast<uint8_t>((answer.route >> (4 * (problem.stopCount - 1 - position)) & 15) + 1);
  }
  return plan;
}

void* takePinned(std::size_t bytes) {
  void* memory = nullptr;
  require(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "no page-locked memory");
  return memory;
}
void givePinned(void* memory) noexcept { cudaFreeHost(memory); }

}  // namespace

HostAllocator pinnedMemory() { return {&takePinned, &givePinned}; }

Sides::Sides() {
  require(cudaEventCreateWithFlags(&all_.begin, cudaEventDisableTiming), "no event");
  for (int side = 0; side < SideStreams::kStreams; ++side) {
    require(cudaStreamCreateWithFlags(&all_.streams[side], cudaStreamNonBlocking), "no stream");
    require(cudaEventCreateWithFlags(&all_.ends[side], cudaEventDisableTiming), "no event");
  }
}

Sides::~Sides() {
  cudaEventDestroy(all_.begin);
  for (int side = 0; side < SideStreams::kStreams; ++side) {
    cudaStreamDestroy(all_.streams[side]);
    cudaEventDestroy(all_.ends[side]);
  }
}

Slot::Slot(int workspaces) : packed_(pinnedMemory()), answers_(pinnedMemory()), workspaces_(workspaces) {
  const std::size_t bytes = sizeof(Workspace) * static_cast<std::size_t>(workspaces);
  d_workspaces_.demand(bytes);
  require(cudaMemsetAsync(d_workspaces_.as<std::byte>(), 0, bytes, stream_), "a workspace can't be cleared");
}

void Slot::pack(std::span<const Problem> problems, std::span<PrepareStatus> statuses, WorkerPool& workers) {
  problems_ = problems;
  packed_.pack(problems, statuses, workers);
  d_arena_.demand(packed_.arenaBytes());
  d_items_.demand(sizeof(Item) * static_cast<std::size_t>(packed_.itemCount()));
  d_answers_.demand(sizeof(Answer) * problems.size());
  answers_.require(sizeof(Answer) * problems.size());
}

void Slot::copyIn() {
  if (!problems_.empty()) {
    // A refused problem has no answer, but its place is read back with the others.
    const std::size_t bytes = sizeof(Answer) * problems_.size();
    require(cudaMemsetAsync(d_answers_.as<Answer>(), 0, bytes, stream_), "answers can't be cleared");
  }
  for (const PackedBatch::Piece& piece : packed_.pieces()) {
    require(cudaMemcpyAsync(d_arena_.as<std::byte>() + piece.offset, packed_.arena() + piece.offset, piece.bytes,
                            cudaMemcpyHostToDevice, stream_),
            "problems can't be copied");
  }
  if (packed_.itemCount() == 0) return;
  require(cudaMemcpyAsync(d_items_.as<Item>(), packed_.items(),
                          sizeof(Item) * static_cast<std::size_t>(packed_.itemCount()), cudaMemcpyHostToDevice,
                          stream_),
          "problems can't be copied");
}

void Slot::launch() {
  const DeviceBatch batch{d_arena_.as<std::byte>(), d_items_.as<Item>(), d_answers_.as<Answer>()};
  for (const int orders : {6, 5}) {
    require(launchSearches(orders, batch, packed_, stream_), "a search can't be launched");
  }
  for (const int orders : {4, 3, 2, 1}) {
    require(launchTrees(orders, batch, packed_, stream_, sides_.all()), "a tree can't be launched");
  }
}

void Slot::launchGeneral(std::span<const Prepared> problems, std::span<const uint32_t> indices) {
  d_prepared_.demand(sizeof(Prepared) * smaller(problems.size(), kGeneralAtOnce));
  d_indices_.demand(sizeof(uint32_t) * smaller(problems.size(), kGeneralAtOnce));
  for (std::size_t from = 0; from < problems.size(); from += kGeneralAtOnce) {
    const std::size_t count = smaller(kGeneralAtOnce, problems.size() - from);
    require(cudaMemcpyAsync(d_prepared_.as<Prepared>(), problems.data() + from, sizeof(Prepared) * count,
                            cudaMemcpyHostToDevice, stream_),
            "problems can't be copied");
    require(cudaMemcpyAsync(d_indices_.as<uint32_t>(), indices.data() + from, sizeof(uint32_t) * count,
                            cudaMemcpyHostToDevice, stream_),
            "problems can't be copied");
    const GeneralBatch batch{d_prepared_.as<Prepared>(),    d_indices_.as<uint32_t>(), d_answers_.as<Answer>(),
                             d_workspaces_.as<Workspace>(), workspaces_,               static_cast<int>(count)};
    require(gpu::launchGeneral(batch, stream_), "the general kernel can't be launched");
  }
}

void Slot::copyOut() {
  if (problems_.empty()) return;
  require(cudaMemcpyAsync(answers_.as<Answer>(), d_answers_.as<Answer>(), sizeof(Answer) * problems_.size(),
                          cudaMemcpyDeviceToHost, stream_),
          "answers can't be copied");
}

void Slot::submit(std::span<const Problem> problems, std::span<PrepareStatus> statuses, WorkerPool& workers) {
  pack(problems, statuses, workers);
  copyIn();
  launch();
  if (!packed_.general().empty()) launchGeneral(packed_.general(), packed_.generalIndices());
  copyOut();
  busy_ = true;
}

std::vector<uint32_t> Slot::unsolved() const {
  std::vector<uint32_t> indices;
  for (std::size_t index = 0; index < problems_.size(); ++index) {
    const Group group = packed_.group(static_cast<int>(index));
    if (group < kGeneralGroup && answers_.as<Answer>()[index].cost == kUnsolved) {
      indices.push_back(static_cast<uint32_t>(index));
    }
  }
  return indices;
}

void Slot::solveUnsolved() {
  const std::vector<uint32_t> indices = unsolved();
  if (indices.empty()) return;
  std::vector<Prepared> prepared(indices.size());
  for (std::size_t number = 0; number < indices.size(); ++number) {
    prepare(problems_[indices[number]], prepared[number]);
  }
  launchGeneral(prepared, indices);
  copyOut();
  stream_.wait();
}

void Slot::write(std::span<Plan> plans, int from, int to) const {
  const Answer* answers = answers_.as<Answer>();
  for (int index = from; index < to; ++index) {
    const Group group = packed_.group(index);
    if (group == kRefusedGroup) {
      plans[index] = Plan{};
    } else {
      plans[index] = planOf(problems_[index], group == kNoneGroup ? Answer{0, 0} : answers[index]);
    }
  }
}

void Slot::collect(std::span<Plan> plans, WorkerPool& workers) {
  busy_ = false;
  stream_.wait();
  solveUnsolved();
  const auto size = static_cast<int64_t>(problems_.size());
  const auto count = smaller<int64_t>(workers.threads(), size / 4096 + 1);
  workers.run(static_cast<int>(count), [&](int number) {
    write(plans, static_cast<int>(size * number / count), static_cast<int>(size * (number + 1) / count));
  });
}

}  // namespace roundhouse::route_planner::gpu
