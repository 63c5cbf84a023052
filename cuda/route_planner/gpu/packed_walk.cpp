#include "packed_walk.hpp"

#include <algorithm>

namespace roundhouse::route_planner::gpu {

std::size_t packedLength(std::span<const int32_t> words, std::size_t at) {
  const std::size_t left = words.size() - at;
  const int32_t* const problem = words.data() + at;
  if (left < 2) return 0;
  const PackedCounts counts = readPackedCounts(problem);
  if (checkPackedCounts(counts).name != nullptr) return 0;
  const auto length = static_cast<std::size_t>(packedWords(counts.orders, counts.stops));
  return length <= left ? length : 0;
}

namespace {

/// Walks that one thread takes turns with: so many waits for memory at a time.
constexpr std::size_t kTogether = 8;

/// Whether a problem that makes sense may begin at `at`; `interleave` is its fifth word.
std::size_t likelyLength(std::span<const int32_t> words, std::size_t at) {
  const std::size_t length = packedLength(words, at);
  if (length == 0) return 0;
  const int32_t orders = words[at];
  const int32_t stops = words[at + 1];
  const bool likely = orders > 0 && stops >= orders && stops <= 2 * orders && (words[at + 4] & ~1) == 0;
  return likely ? length : 0;
}

}  // namespace

/// Two problems in a row, or where the words end.
std::size_t PackedWalk::guess(std::size_t from, std::size_t end) const {
  for (std::size_t at = from; at < std::min(end, from + kMostPackedWords); ++at) {
    const std::size_t length = likelyLength(words_, at);
    if (length > 0 && (at + length == words_.size() || likelyLength(words_, at + length) > 0)) return at;
  }
  return end;
}

void PackedWalk::begin(std::size_t limit) {
  parts_ = limit - from_ >= kWalks * kLeastPart ? kWalks : 1;
  for (std::size_t index = 0; index < parts_; ++index) {
    Part& part = part_[index];
    const std::size_t first = from_ + (limit - from_) * index / parts_;
    part.end = from_ + (limit - from_) * (index + 1) / parts_;
    part.at = index == 0 ? from_ : guess(first, part.end);
    part.ended = part.at >= part.end;
    part.faulty = false;
    part.starts.clear();
  }
}

void PackedWalk::step(Part& part) const {
  const std::size_t length = packedLength(words_, part.at);
  part.faulty = length == 0;
  if (!part.faulty) part.starts.push_back(static_cast<uint32_t>(part.at - from_));
  part.at += length;
  part.ended = part.faulty || part.at >= part.end;
  if (!part.ended) __builtin_prefetch(words_.data() + part.at);
}

/// Goes on from `end` to the end of the part: step by step until its walk was there too. False at a fault.
bool PackedWalk::join(const Part& part, End& end) {
  auto known = std::lower_bound(part.starts.begin(), part.starts.end(), end.at - from_);
  while (end.at < part.end && (known == part.starts.end() || *known != end.at - from_)) {
    const std::size_t length = packedLength(words_, end.at);
    end.faulty = length == 0;
    if (end.faulty) return false;
    starts_.push_back(static_cast<uint32_t>(end.at - from_));
    end.at += length;
    while (known != part.starts.end() && *known < end.at - from_) ++known;
  }
  if (end.at >= part.end) return true;
  starts_.insert(starts_.end(), known, part.starts.end());
  end = {part.at, part.faulty};
  return !part.faulty;
}

void PackedWalk::takeTurns(std::span<Part> parts) const {
  for (bool any = true; any;) {
    any = false;
    for (Part& part : parts) {
      if (!part.ended) step(part);
      any = any || !part.ended;
    }
  }
}

PackedWalk::End PackedWalk::walk(std::span<const int32_t> words, std::size_t from, std::size_t limit) {
  words_ = words;
  from_ = from;
  starts_.clear();
  begin(limit);
  const std::size_t pieces = (parts_ + kTogether - 1) / kTogether;
  workers_.run(static_cast<int>(pieces), [&](int piece) {
    const std::size_t first = kTogether * static_cast<std::size_t>(piece);
    takeTurns(std::span(part_).subspan(first, std::min(kTogether, parts_ - first)));
  });
  End end{from, false};
  for (std::size_t index = 0; index < parts_ && join(part_[index], end); ++index) {
  }
  return end;
}

}  // namespace roundhouse::route_planner::gpu
