// candidate_cost where the GPU's memory is short, and with shards in the engine's pinned slots.
#pragma once

#include <sys/mman.h>

#include <cstring>
#include <string>
#include <vector>

#include "../random_shards.hpp"
#include "cost_checks.hpp"
#include "pinned_memory.hpp"

namespace roundhouse::test {

using namespace roundhouse::candidate_cost;
namespace P = layout::Param;

/// Takes the GPU's memory but for `left` bytes and less than 2 MB. What the driver has kept of earlier users counts as
/// taken until someone asks for it, so it is taken until no more is given.
inline std::vector<device::DeviceMemory> takeMemory(std::size_t left) {
  device::DeviceMemory kept;
  kept.demand(left);
  std::vector<device::DeviceMemory> taken;
  for (std::size_t piece = std::size_t{32} << 30; piece >= std::size_t{2} << 20;) {
    try {
      device::DeviceMemory memory;
      memory.demand(piece);
      taken.push_back(std::move(memory));
    } catch (const device::DeviceMemoryShort&) {
      piece /= 2;
    }
  }
  return taken;
}

/// A shard of a million candidates (32 MB of plans) does not fit; the small ones of its batch do. Later it fits.
inline void checkShortMemory() {
  Random random{6};
  MatrixStore none("/nowhere");
  FormulaNetwork network;
  GpuCosts gpu(network);
  test::ShardShape small;
  small.candidates = 50;
  std::vector<ShardValues> values = {test::randomShard(random, small), test::randomShard(random, small),
                                     test::randomShard(random, small)};
  // What the kernels need beside our memory is taken by their first use.
  gpu.cost(values, none, false);
  const std::vector<std::uint16_t> few = values[1].candidates;
  while (values[1].candidates.size() + few.size() <= 4 * 1000000) {
    values[1].candidates.insert(values[1].candidates.end(), few.begin(), few.end());
  }
  {
    const auto taken = takeMemory(std::size_t{16} << 20);
    const auto found = gpu.cost(values, none, false);
    const std::string expected = "MODEL_FAILED: the GPU can't hold the shard: no memory for the GPU: out of memory";
    CHECK_EQUAL(found[1].failure, expected);
    for (const std::size_t index : {0u, 2u}) {
      checkEqual(found[index], test::costOnCpu(values[index], none, network), "beside a huge one: ");
    }
  }
  const CostAnswer fits = gpu.cost(values, none, false)[1];
  CHECK_EQUAL(fits.failure, "");
  CHECK_EQUAL(fits.plans.size(), values[1].candidates.size() / 4 * layout::PLAN_RECORD_BYTES);
  constexpr std::size_t once = 50 * layout::PLAN_RECORD_BYTES;
  CHECK(std::memcmp(fits.plans.data(), fits.plans.data() + once, once) == 0);
}

inline cudaMemoryType typeOf(const void* memory) {
  cudaPointerAttributes attributes{};
  device::require(cudaPointerGetAttributes(&attributes, memory), "no attributes");
  return attributes.type;
}

/// The engine's way to lock the memory of slots, seen from CUDA's runtime, and tables that go up from there.
inline void checkSlots(candidate_cost::gpu::CopyBy copyBy) {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!CHECK(mapped != MAP_FAILED)) return;
  CHECK(typeOf(mapped) == cudaMemoryTypeUnregistered);
  {
    std::atomic<bool> told{false};
    std::string failure = "nothing was told";
    const PinnedMemory pinned(static_cast<std::byte*>(mapped), bytes, [&](const std::string& text) {
      failure = text;
      told.store(true);
    });
    for (int i = 0; i < 10'000 && !told.load(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK_EQUAL(failure, "");
    CHECK(pinned.holds(mapped, bytes));
    CHECK(typeOf(mapped) == cudaMemoryTypeHost);
    Random random{9};
    MatrixStore none("/nowhere");
    FormulaNetwork network;
    GpuCosts gpu(network, {.copyBy = copyBy});
    const ShardValues values = test::randomShard(random, {});
    const CostAnswer found = gpu.costInSlot(values, none, static_cast<std::byte*>(mapped), bytes);
    checkEqual(found, test::costOnCpu(values, none, network), "in a slot: ");
  }
  CHECK(typeOf(mapped) == cudaMemoryTypeUnregistered);
  munmap(mapped, bytes);
}

}  // namespace roundhouse::test
