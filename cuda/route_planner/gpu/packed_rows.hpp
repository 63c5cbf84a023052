#pragma once

#include "../algo/packed.hpp"
#include "summary.hpp"

namespace roundhouse::route_planner::gpu {

/// Packed problems in device memory as a source: numbers `first` and on. The host has counted their words; a caller that
/// changes them meanwhile gets a problem that can't be read.
struct PackedSource {
  const int32_t* d_words;
  /// Where each begins, and where the last ends.
  const uint32_t* d_offsets;
  int first;

  ROUNDHOUSE_HD bool operator()(int index, Problem& out) const {
    const uint32_t at = d_offsets[index - first];
    const int32_t* const words = d_words + at;
    const PackedCounts counts = readPackedCounts(words);
    if (checkPackedCounts(counts).name != nullptr) return false;
    const auto count = static_cast<uint32_t>(packedWords(counts.orders, counts.stops));
    return at + count == d_offsets[index - first + 1] && unpack(words, counts, out).name == nullptr;
  }
};

/// Bytes of a row of answers: 16 stop numbers, INT64 cost, flags.
constexpr std::size_t kRowBytes = kMaxStops + sizeof(int64_t) + 1;
/// Flags of a problem that is refused.
constexpr uint8_t kRefusedFlags = 0x80;

/// Answers of `count` problems: all sequences, then all costs, then all flags (docs/tensors.md).
struct PackedRows {
  std::byte* memory;
  int count;

  struct alignas(16) Sequence {
    uint8_t stops[kMaxStops];
  };
  ROUNDHOUSE_HD Sequence* sequences() const { return reinterpret_cast<Sequence*>(memory); }
  ROUNDHOUSE_HD int64_t* costs() const { return reinterpret_cast<int64_t*>(sequences() + count); }
  ROUNDHOUSE_HD uint8_t* flags() const { return reinterpret_cast<uint8_t*>(costs() + count); }
};

ROUNDHOUSE_HD inline void writeRow(const Answer& answer, const Summary& summary, const PackedRows& rows, int number) {
  const Plan plan = planOf(answer, summary);
  PackedRows::Sequence sequence;
  for (int position = 0; position < kMaxStops; ++position) sequence.stops[position] = plan.stops[position];
  rows.sequences()[number] = sequence;
  rows.costs()[number] = plan.cost;
  rows.flags()[number] = summary.status != PrepareStatus::ok
                             ? kRefusedFlags
                             : static_cast<uint8_t>((plan.feasible ? 1 : 0) | (plan.unproven ? 2 : 0));
}

}  // namespace roundhouse::route_planner::gpu
