#include "packed_planner.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "../../device/stream.hpp"
#include "packed_work.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// Rows that are copied in one piece by one thread.
constexpr int kRowsEach = 8192;

/// Of the rows from `at` on, the first that is refused; −1: none.
int refusedIn(const PackedBuffers::Result& result, int at, int count) {
  if (result.refused == 0) return -1;
  const uint8_t* const flags = result.rows().flags() + at;
  const uint8_t* const found = std::find(flags, flags + count, kRefusedFlags);
  return found < flags + count ? static_cast<int>(found - flags) : -1;
}

void note(PackedRequest& request, int refused) {
  request.faulty = refused;
  request.faultyAt = packedOffset(request.words, refused);
}

}  // namespace

struct PackedPlanner::State {
  State(const DevicePlannerOptions& options, WorkerPool& workers) : planner(options), buffers(options.chunk, workers) {}

  DevicePlanner planner;
  PackedBuffers buffers;
  device::Stream stream;
  int chunks = 0;

  /// Chunks with rows of `request`, once they are there, until body(result, first row in it, row of the request, rows) says
  /// false. Returns what it said last.
  template <typename Body>
  bool eachPart(const PackedRequest& request, Body&& body) const {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const PackedBuffers::Result& result = buffers.results[static_cast<std::size_t>(chunk)];
      const int from = std::max(request.first, result.first);
      const int end = std::min(request.first + request.count, result.first + result.count);
      if (from >= end) continue;
      result.done.wait();
      if (!body(result, from - result.first, from - request.first, end - from)) return false;
    }
    return true;
  }
  void copyRows(const PackedBuffers::Result& result, int at, int count, std::byte* costs, std::byte* sequences,
                std::byte* flags);
};

void PackedPlanner::State::copyRows(const PackedBuffers::Result& result, int at, int count, std::byte* costs,
                                    std::byte* sequences, std::byte* flags) {
  const PackedRows rows = result.rows();
  const auto copy = [](std::byte* to, const auto* from, int row, int end) {
    std::memcpy(to + sizeof(*from) * static_cast<std::size_t>(row), from + row, sizeof(*from) * static_cast<std::size_t>(end - row));
  };
  const int pieces = std::max(1, count / kRowsEach);
  buffers.workers.run(pieces, [&](int piece) {
    const int row = count / pieces * piece;
    const int end = piece + 1 == pieces ? count : count / pieces * (piece + 1);
    copy(costs, rows.costs() + at, row, end);
    copy(sequences, rows.sequences() + at, row, end);
    copy(flags, rows.flags() + at, row, end);
  });
}

PackedPlanner::PackedPlanner(const DevicePlannerOptions& options, WorkerPool& workers) {
  device::useDevice(options.device);
  (void)packedResources();
  state_ = std::make_unique<State>(options, workers);
}

PackedPlanner::~PackedPlanner() = default;

std::vector<std::string> PackedPlanner::resources() const {
  std::vector<std::string> all = packedResources();
  all.insert(all.end(), state_->planner.resources().begin(), state_->planner.resources().end());
  return all;
}

void PackedPlanner::solve(std::span<PackedRequest> requests) {
  PackedWork work(requests, state_->buffers);
  state_->chunks = 0;
  const bool whole = state_->planner.solve(INT_MAX, work, state_->stream, [&] { return work.allCancelled(); });
  if (whole && !work.allCancelled()) state_->chunks = work.chunks();
}

bool PackedPlanner::read(PackedRequest& request, void* costs, void* sequences, void* flags) {
  const auto at = [](void* start, std::size_t each, int row) {
    return static_cast<std::byte*>(start) + each * static_cast<std::size_t>(row);
  };
  return state_->eachPart(request, [&](const PackedBuffers::Result& result, int from, int row, int count) {
    const int refused = refusedIn(result, from, count);
    if (refused >= 0) note(request, row + refused);
    if (refused >= 0) return false;
    state_->copyRows(result, from, count, at(costs, sizeof(int64_t), row), at(sequences, kMaxStops, row), at(flags, 1, row));
    return true;
  });
}

void PackedPlanner::findRefused(PackedRequest& request) {
  (void)state_->eachPart(request, [&](const PackedBuffers::Result& result, int from, int row, int count) {
    const int refused = refusedIn(result, from, count);
    if (refused >= 0) note(request, row + refused);
    return refused < 0;
  });
}

void PackedPlanner::wait() { state_->stream.wait(); }

}  // namespace roundhouse::route_planner::gpu
