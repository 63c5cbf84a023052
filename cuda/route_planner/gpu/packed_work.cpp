#include "packed_work.hpp"

#include <algorithm>
#include <cstring>

namespace roundhouse::route_planner::gpu {
namespace {

using device::require;

/// Words a problem that chunks have room for: a problem of 6 orders and 12 stops has 278. Larger ones make chunks of fewer.
constexpr std::size_t kRoomEach = 288;
/// Bytes that are copied in one piece by one thread.
constexpr std::size_t kBytesEach = 128 * 1024;
constexpr std::size_t kMostPieces = 32;

}  // namespace

PackedBuffers::PackedBuffers(int chunk, WorkerPool& sharers)
    : mostWords(std::max<std::size_t>(kMostPackedWords, kRoomEach * static_cast<std::size_t>(chunk))),
      workers(sharers) {
  const auto size = static_cast<std::size_t>(chunk);
  for (Turn& turn : turns) {
    turn.d_words.demand(sizeof(int32_t) * mostWords);
    turn.d_offsets.demand(sizeof(uint32_t) * (size + 1));
    turn.d_rows.demand(kRowBytes * size);
    turn.offsets.demand(sizeof(uint32_t) * (size + 1));
  }
}

void PackedBuffers::copy(void* to, const void* from, std::size_t bytes) {
  const std::size_t parts = std::clamp<std::size_t>(bytes / kBytesEach, 1, kMostPieces);
  workers.run(static_cast<int>(parts), [&](int part) {
    const std::size_t first = bytes * static_cast<std::size_t>(part) / parts;
    const std::size_t end = bytes * static_cast<std::size_t>(part + 1) / parts;
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first, end - first);
  });
}

int PackedWork::take(int, int most) {
  PackedBuffers::Turn& turn = buffers_.turns[static_cast<std::size_t>(taken_) % kPlannerSlots];
  const int count = intake_.take(most, buffers_.mostWords, turn.offsets.as<uint32_t>());
  if (count > 0) ++taken_;
  return count;
}

/// Pieces in pageable memory that follow one another go up in one copy.
void PackedWork::copyWords(PackedBuffers::Turn& turn, cudaStream_t stream) {
  std::size_t stagedFrom = 0;
  std::size_t stagedTo = 0;
  const auto copy = [&](const int32_t* from, std::size_t at, std::size_t count) {
    if (count == 0) return;
    require(cudaMemcpyAsync(turn.d_words.as<int32_t>() + at, from, sizeof(int32_t) * count, cudaMemcpyHostToDevice, stream),
            "problems can't be copied");
  };
  const auto copyStaged = [&] { copy(turn.staging.as<int32_t>() + stagedFrom, stagedFrom, stagedTo - stagedFrom); };
  for (const PackedIntake::Piece& piece : intake_.pieces()) {
    if (piece.pinned) {
      copyStaged();
      copy(piece.words, piece.at, piece.count);
      stagedFrom = stagedTo = piece.at + piece.count;
    } else {
      turn.staging.demand(sizeof(int32_t) * buffers_.mostWords);
      buffers_.copy(turn.staging.as<int32_t>() + piece.at, piece.words, sizeof(int32_t) * piece.count);
      stagedTo = piece.at + piece.count;
    }
  }
  copyStaged();
}

PackedSource PackedWork::sourceOf(const PackedBuffers::Turn& turn, int first) const {
  return {turn.d_words.as<int32_t>(), turn.d_offsets.as<uint32_t>(), first};
}

void PackedWork::build(const Building& to, cudaStream_t stream) {
  PackedBuffers::Turn& turn = building();
  copyWords(turn, stream);
  require(cudaMemcpyAsync(turn.d_offsets.as<uint32_t>(), turn.offsets.as<uint32_t>(),
                          sizeof(uint32_t) * static_cast<std::size_t>(to.count + 1), cudaMemcpyHostToDevice, stream),
          "problems can't be copied");
  buildPacked(sourceOf(turn, to.first), to, stream);
}

void PackedWork::solveGeneral(const Building& batch, int firstItem, GeneralScratch* d_scratch, int blocks,
                              cudaStream_t stream) {
  solvePackedGenerally(sourceOf(launching(), batch.first), batch, firstItem, d_scratch, blocks, stream);
}

void PackedWork::finish(const Building& solved, int refused, cudaStream_t stream) {
  const PackedBuffers::Turn& turn = launching();
  const auto number = static_cast<std::size_t>(finished_++);
  if (buffers_.results.size() <= number) buffers_.results.emplace_back();
  PackedBuffers::Result& result = buffers_.results[number];
  const std::size_t bytes = kRowBytes * static_cast<std::size_t>(solved.count);
  result.memory.demand(turn.d_rows.bytes());
  result.first = solved.first;
  result.count = solved.count;
  result.refused = refused;
  const PackedRows rows{turn.d_rows.as<std::byte>(), solved.count};
  writePacked(solved, rows, stream);
  require(cudaMemcpyAsync(result.memory.as<std::byte>(), rows.memory, bytes, cudaMemcpyDeviceToHost, stream),
          "answers can't be copied");
  result.done.record(stream);
}

}  // namespace roundhouse::route_planner::gpu
