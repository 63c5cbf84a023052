#include "packed_intake.hpp"

#include <algorithm>

namespace roundhouse::route_planner::gpu {
namespace {

/// Problems ahead of the one that is looked at; their first words are fetched on the guess that they are as long.
constexpr std::size_t kAhead = 12;

}  // namespace

int PackedIntake::takeFrom(PackedRequest& request, int most, std::size_t mostWords, uint32_t* offsets) {
  const std::size_t start = at_;
  const std::size_t before = words_;
  const int32_t* const words = request.words.data();
  int taken = 0;
  while (taken < most && at_ < request.words.size()) {
    const std::size_t left = request.words.size() - at_;
    const int32_t* const problem = words + at_;
    const bool counted = left >= 2 && checkPackedCounts(problem).name == nullptr;
    const std::size_t length = counted ? static_cast<std::size_t>(packedWords(problem[0], problem[1])) : 0;
    if (!counted || length > left) {
      request.faulty = request.count;
      request.faultyAt = at_;
      break;
    }
    if (before + (at_ - start) + length > mostWords) break;
    __builtin_prefetch(words + std::min(at_ + kAhead * length, request.words.size() - 1));
    offsets[taken++] = static_cast<uint32_t>(before + (at_ - start));
    ++request.count;
    at_ += length;
  }
  if (at_ > start) pieces_.push_back({words + start, at_ - start, before, request.pinned});
  words_ = before + (at_ - start);
  rows_ += taken;
  return taken;
}

int PackedIntake::take(int most, std::size_t mostWords, uint32_t* offsets) {
  pieces_.clear();
  words_ = 0;
  int taken = 0;
  while (request_ < requests_.size() && taken < most) {
    PackedRequest& request = requests_[request_];
    if (at_ == 0) request.first = rows_;
    if (!request.cancelled) taken += takeFrom(request, most - taken, mostWords, offsets + taken);
    const bool ended = request.cancelled || request.faulty >= 0 || at_ == request.words.size();
    if (!ended) break;
    ++request_;
    at_ = 0;
  }
  offsets[taken] = static_cast<uint32_t>(words_);
  return taken;
}

bool PackedIntake::allCancelled() {
  bool all = true;
  for (PackedRequest& request : requests_) {
    request.cancelled = request.cancelled || request.isCancelled();
    all = all && request.cancelled;
  }
  return all;
}

std::size_t packedOffset(std::span<const int32_t> words, int number) {
  std::size_t at = 0;
  for (int before = 0; before < number; ++before) at += static_cast<std::size_t>(packedWords(words[at], words[at + 1]));
  return at;
}

}  // namespace roundhouse::route_planner::gpu
