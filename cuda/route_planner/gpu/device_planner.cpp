#include "device_planner.hpp"

#include <stdexcept>

#include "planner_slot.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// Warps that the general kernels of all slots get a multiprocessor: each holds 100 KB of device memory.
constexpr int kScratchesPerProcessor = 4;

std::string textOf(const KernelResources& kernel) {
  return kernel.name + ": " + std::to_string(kernel.registers) + " registers, " + std::to_string(kernel.sharedBytes) +
         " B of shared and " + std::to_string(kernel.localBytes) + " B of local memory, " +
         std::to_string(kernel.blocksPerProcessor) + " blocks of " + std::to_string(kernel.threads) +
         " threads a multiprocessor";
}

int processorsOf(int device) {
  int processors = 0;
  device::require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "no such GPU");
  return processors;
}

}  // namespace

std::string requireFits(const KernelResources& kernel, bool mayUseLocalMemory) {
  if (kernel.error != cudaSuccess) {
    throw std::runtime_error("kernel '" + kernel.name + "' can't run here: " + cudaGetErrorString(kernel.error));
  }
  if (kernel.blocksPerProcessor == 0 || (kernel.localBytes > 0 && !mayUseLocalMemory)) {
    throw std::runtime_error("kernel '" + textOf(kernel) + "' does not fit this GPU");
  }
  return textOf(kernel);
}

struct DevicePlanner::State {
  DevicePlannerOptions options;
  std::vector<std::string> resources;
  int smallWarps = 0;
  device::Event begin;
  device::Event ends[kPlannerSlots];
  std::unique_ptr<PlannerSlot> slots[kPlannerSlots];

  /// What still runs may read memory that its owner is about to give back.
  void waitQuietly() const {
    for (const auto& slot : slots) (void)cudaStreamSynchronize(slot->stream());
  }
  /// False where it was stopped. `used`: slots that it had a chunk for.
  bool runChunks(int count, DeviceWork& work, const std::function<bool()>& stop, int& used) const;
};

/// A chunk is built before the host waits for the one ahead of it. What is asked of a slot that is not needed costs a
/// small call a tenth of its time.
bool DevicePlanner::State::runChunks(int count, DeviceWork& work, const std::function<bool()>& stop, int& used) const {
  int first = 0;
  int ahead = 0;
  for (int next = 0; next == 0 || ahead > 0; ++next) {
    if (stop()) return false;
    const int most = smaller(options.chunk, count - first);
    const int taken = most > 0 ? work.take(first, most) : 0;
    if (taken > 0 && used < kPlannerSlots) begin.holdUp(slots[used++]->stream());
    if (taken > 0) slots[next % kPlannerSlots]->build(first, taken, work);
    if (ahead > 0) slots[(next - 1) % kPlannerSlots]->launch(work);
    first = taken > 0 ? first + taken : count;
    ahead = taken;
  }
  return true;
}

DevicePlanner::DevicePlanner(const DevicePlannerOptions& options) {
  device::useDevice(options.device);
  state_ = std::make_unique<State>();
  state_->options = options;
  for (const auto& kernels : {placingResources(), smallResources(), treeResources(), searchResources(), splitResources()}) {
    for (const KernelResources& kernel : kernels) state_->resources.push_back(requireFits(kernel, false));
  }
  const int processors = processorsOf(options.device);
  const int scratches = processors * kScratchesPerProcessor / kPlannerSlots;
  for (auto& slot : state_->slots) {
    slot = std::make_unique<PlannerSlot>(options.chunk, scratches);
    slot->searchUpTo(options.searchUpTo);
  }
  state_->smallWarps = mostSmallWarps(processors);
}

DevicePlanner::~DevicePlanner() {
  if (state_ != nullptr) (void)cudaSetDevice(state_->options.device);
}

int DevicePlanner::device() const { return state_->options.device; }

const std::vector<std::string>& DevicePlanner::resources() const { return state_->resources; }

bool DevicePlanner::solveRest(const Counters& counters, DeviceWork& work, cudaStream_t stream) {
  return state_->slots[0]->solveRest(counters, work, stream);
}

bool DevicePlanner::solve(int count, DeviceWork& work, cudaStream_t stream, const std::function<bool()>& stop) {
  device::useDevice(state_->options.device);
  if (count <= state_->options.atOnceUpTo && work.mostOrders() <= kSmallOrders) {
    if (stop()) return false;
    const int taken = work.take(0, count);
    if (taken > 0) state_->slots[0]->solveAtOnce(taken, state_->smallWarps, work, stream);
    return true;
  }
  try {
    state_->begin.record(stream);
    int used = 0;
    if (!state_->runChunks(count, work, stop, used)) {
      for (const auto& slot : state_->slots) slot->stream().wait();
      return false;
    }
    for (int side = 0; side < used; ++side) {
      state_->ends[side].record(state_->slots[side]->stream());
      state_->ends[side].holdUp(stream);
    }
  } catch (...) {
    state_->waitQuietly();
    throw;
  }
  return true;
}

}  // namespace roundhouse::route_planner::gpu
