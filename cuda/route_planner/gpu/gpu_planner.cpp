#include "gpu_planner.hpp"

#include "slot.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// Warps that the general kernel gets a multiprocessor: each holds a workspace of 90 KB.
constexpr int kWorkspacesPerProcessor = 4;

std::vector<KernelResources> allResources() {
  std::vector<KernelResources> all = treeResources();
  for (const auto& more : {searchResources(), generalResources()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string textOf(const KernelResources& kernel) {
  return kernel.name + ": " + std::to_string(kernel.registers) + " registers, " + std::to_string(kernel.sharedBytes) +
         " B of shared and " + std::to_string(kernel.localBytes) + " B of local memory, " +
         std::to_string(kernel.blocksPerProcessor) + " blocks of " + std::to_string(kernel.threads) +
         " threads a multiprocessor";
}

/// The fast kernels live in registers: one that spills is the wrong build for this GPU.
void requireFits(const KernelResources& kernel) {
  if (kernel.error != cudaSuccess) {
    throw std::runtime_error("kernel '" + kernel.name + "' can't run here: " + cudaGetErrorString(kernel.error));
  }
  if (kernel.blocksPerProcessor == 0 || (kernel.localBytes > 0 && kernel.name != "general")) {
    throw std::runtime_error("kernel '" + textOf(kernel) + "' does not fit this GPU");
  }
}

}  // namespace

struct GpuPlanner::State {
  PlannerOptions options;
  std::vector<std::string> resources;
  std::unique_ptr<WorkerPool> workers;
  std::unique_ptr<Slot> slots[2];
};

GpuPlanner::GpuPlanner(const PlannerOptions& options) : state_(std::make_unique<State>()) {
  state_->options = options;
  state_->workers = std::make_unique<WorkerPool>(options.threads);
  require(cudaSetDevice(options.device), "no such GPU");
  for (const KernelResources& kernel : allResources()) {
    requireFits(kernel);
    state_->resources.push_back(textOf(kernel));
  }
  int processors = 0;
  require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, options.device), "no such GPU");
  for (auto& slot : state_->slots) slot = std::make_unique<Slot>(processors * kWorkspacesPerProcessor);
}

GpuPlanner::~GpuPlanner() = default;

const std::vector<std::string>& GpuPlanner::resources() const { return state_->resources; }

bool GpuPlanner::solve(std::span<const Problem> problems, std::span<Plan> plans, std::span<PrepareStatus> statuses,
                       const std::function<bool()>& stop) {
  require(cudaSetDevice(state_->options.device), "no such GPU");
  WorkerPool& workers = *state_->workers;
  const auto size = static_cast<std::size_t>(state_->options.chunk);
  const std::size_t chunks = (problems.size() + size - 1) / size;
  const auto part = [&](auto all, std::size_t number) {
    return all.subspan(number * size, smaller(size, problems.size() - number * size));
  };
  const auto abandon = [this] {
    for (auto& slot : state_->slots) slot->abandon();
  };
  try {
    for (std::size_t next = 0; next <= chunks; ++next) {
      if (stop()) {
        for (auto& slot : state_->slots) slot->stream().wait();
        abandon();
        return false;
      }
      if (next < chunks) state_->slots[next % 2]->submit(part(problems, next), part(statuses, next), workers);
      if (next > 0) state_->slots[(next - 1) % 2]->collect(part(plans, next - 1), workers);
    }
  } catch (...) {
    // What still runs reads memory that the next call packs anew.
    (void)cudaDeviceSynchronize();
    abandon();
    throw;
  }
  return true;
}

}  // namespace roundhouse::route_planner::gpu
