#include "packed_planner.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "../../device/stream.hpp"
#include "packed_work.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// Rows that one thread copies before another is worth waking.
constexpr int kRowsEach = 16384;

}  // namespace

struct PackedPlanner::State {
  explicit State(const DevicePlannerOptions& options) : planner(options), buffers(options.chunk) {}

  DevicePlanner planner;
  PackedBuffers buffers;
  device::Stream stream;
  int chunks = 0;

  /// Chunks with rows of `request`: body(result, first row in it, row of the request, rows).
  template <typename Body>
  void eachPart(const PackedRequest& request, Body&& body) const {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const PackedBuffers::Result& result = buffers.results[static_cast<std::size_t>(chunk)];
      const int from = std::max(request.first, result.first);
      const int end = std::min(request.first + request.count, result.first + result.count);
      if (from < end) body(result, from - result.first, from - request.first, end - from);
    }
  }
  void findRefused(PackedRequest& request) const;
};

PackedPlanner::PackedPlanner(const DevicePlannerOptions& options) {
  device::useDevice(options.device);
  (void)packedResources();
  state_ = std::make_unique<State>(options);
}

PackedPlanner::~PackedPlanner() = default;

std::vector<std::string> PackedPlanner::resources() const {
  std::vector<std::string> all = packedResources();
  all.insert(all.end(), state_->planner.resources().begin(), state_->planner.resources().end());
  return all;
}

/// A problem that is refused comes before the one, if any, that could not be read on the host.
void PackedPlanner::State::findRefused(PackedRequest& request) const {
  int refused = -1;
  eachPart(request, [&](const PackedBuffers::Result& result, int at, int row, int count) {
    if (result.refused == 0 || refused >= 0) return;
    const uint8_t* const flags = result.rows().flags() + at;
    const uint8_t* const found = std::find(flags, flags + count, kRefusedFlags);
    if (found < flags + count) refused = row + static_cast<int>(found - flags);
  });
  if (refused < 0) return;
  request.faulty = refused;
  request.faultyAt = packedOffset(request.words, refused);
}

void PackedPlanner::solve(std::span<PackedRequest> requests) {
  PackedWork work(requests, state_->buffers);
  state_->chunks = 0;
  (void)state_->planner.solve(INT_MAX, work, state_->stream, [&] { return work.allCancelled(); });
  state_->stream.wait();
  if (work.allCancelled()) return;
  state_->chunks = work.chunks();
  for (PackedRequest& request : requests) {
    if (!request.cancelled) state_->findRefused(request);
  }
}

void PackedPlanner::read(const PackedRequest& request, void* costs, void* sequences, void* flags) {
  const auto copyRows = [](void* to, const auto* from, int row, int count) {
    std::memcpy(static_cast<std::byte*>(to) + sizeof(*from) * static_cast<std::size_t>(row), from,
                sizeof(*from) * static_cast<std::size_t>(count));
  };
  const int threads = std::clamp(request.count / kRowsEach, 1, PackedBuffers::kThreads);
  state_->buffers.workers.run(threads, [&](int thread) {
    int part = 0;
    state_->eachPart(request, [&](const PackedBuffers::Result& result, int at, int row, int count) {
      if (part++ % threads != thread) return;
      const PackedRows rows = result.rows();
      copyRows(costs, rows.costs() + at, row, count);
      copyRows(sequences, rows.sequences() + at, row, count);
      copyRows(flags, rows.flags() + at, row, count);
    });
  });
}

}  // namespace roundhouse::route_planner::gpu
