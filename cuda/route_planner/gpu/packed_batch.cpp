#include "packed_batch.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// Records begin at whole sectors of the GPU's memory.
constexpr std::size_t kAlign = 32;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

constexpr std::size_t kMostRecordBytes = aligned(std::size_t{4} * searchRecordWords(kMaxExactOrders));

template <int kOrders, int kHeld = 0>
std::size_t fillTree(const Prepared& problem, const Choice& choice, std::byte* out) {
  if (choice.held == kHeld) {
    fillTreeRecord<kOrders, kHeld>(problem, choice.capacity, reinterpret_cast<int32_t*>(out));
    return sizeof(int32_t) * treeRecordWords<kOrders, kHeld>(choice.capacity);
  }
  if constexpr (kHeld < kOrders) return fillTree<kOrders, kHeld + 1>(problem, choice, out);
  return 0;
}

/// Writes the record; the bytes that it takes.
std::size_t fillRecord(const Prepared& problem, const Choice& choice, std::byte* out) {
  if (choice.kernel == Kernel::tree) {
    switch (choice.orders) {
      case 1: return fillTree<1>(problem, choice, out);
      case 2: return fillTree<2>(problem, choice, out);
      case 3: return fillTree<3>(problem, choice, out);
      default: return fillTree<4>(problem, choice, out);
    }
  }
  if (choice.kernel != Kernel::search) return 0;
  fillSearchRecord(problem, reinterpret_cast<int32_t*>(out));
  return sizeof(int32_t) * searchRecordWords(choice.orders <= 5 ? 5 : 6);
}

}  // namespace

void PackedBatch::packRange(std::span<const Problem> problems, std::span<PrepareStatus> statuses, Range& range) {
  Prepared prepared;
  std::byte* const start = arena_.as<std::byte>();
  std::size_t at = range.piece.offset;
  for (int index = range.from; index < range.to; ++index) {
    statuses[index] = check(problems[index], prepared);
    Group& group = groups_[index];
    group = kRefusedGroup;
    if (statuses[index] == PrepareStatus::ok) {
      const Choice choice = choose(prepared);
      group = groupOf(choice, prepared.stopCount);
      offsets_[index] = static_cast<uint32_t>(at / 16);
      at += aligned(fillRecord(prepared, choice, start + at));
    }
    ++range.counts[group];
  }
  range.piece.bytes = at - range.piece.offset;
}

void PackedBatch::sortItems(std::vector<Range>& ranges, WorkerPool& workers) {
  int next = 0;
  for (int group = 0; group < kGroups; ++group) {
    first_[group] = next;
    for (Range& range : ranges) next += std::exchange(range.counts[group], next);
  }
  first_[kGroups] = next;
  Item* const items = items_.as<Item>();
  workers.run(static_cast<int>(ranges.size()), [&](int number) {
    Range& range = ranges[static_cast<std::size_t>(number)];
    for (int index = range.from; index < range.to; ++index) {
      items[range.counts[groups_[index]]++] = {offsets_[index], static_cast<uint32_t>(index)};
    }
  });
}

void PackedBatch::prepareGeneral(std::span<const Problem> problems) {
  const int from = first_[kGeneralGroup];
  const int count = first_[kGeneralGroup + 1] - from;
  general_.resize(static_cast<std::size_t>(count));
  generalIndices_.resize(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    const uint32_t index = items()[from + number].index;
    generalIndices_[number] = index;
    prepare(problems[index], general_[number]);
  }
}

void PackedBatch::pack(std::span<const Problem> problems, std::span<PrepareStatus> statuses, WorkerPool& workers) {
  size_ = static_cast<int>(problems.size());
  groups_.resize(problems.size());
  offsets_.resize(problems.size());
  arena_.require(problems.size() * kMostRecordBytes);
  items_.require(problems.size() * sizeof(Item));
  const int count = larger(1, smaller(workers.threads(), size_ / 512 + 1));
  std::vector<Range> ranges(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    Range& range = ranges[number];
    range.from = static_cast<int>(int64_t{size_} * number / count);
    range.to = static_cast<int>(int64_t{size_} * (number + 1) / count);
    range.piece = {range.from * kMostRecordBytes, 0};
  }
  workers.run(count, [&](int number) { packRange(problems, statuses, ranges[static_cast<std::size_t>(number)]); });
  pieces_.clear();
  arenaBytes_ = 0;
  for (const Range& range : ranges) {
    if (range.piece.bytes > 0) pieces_.push_back(range.piece);
    arenaBytes_ = range.piece.offset + range.piece.bytes;
  }
  sortItems(ranges, workers);
  prepareGeneral(problems);
}

}  // namespace roundhouse::route_planner::gpu
