#include "packed_intake.hpp"

#include <algorithm>

namespace roundhouse::route_planner::gpu {
namespace {

/// Words that are walked at a time: the first chunk does not wait for the whole request.
constexpr std::size_t kWindow = std::size_t{1} << 21;

}  // namespace

/// Finds the next problems of the request; false at its end or at a fault, which is noted.
bool PackedIntake::look(PackedRequest& request) {
  if (next_ < starts_.size()) return true;
  if (!ahead_.faulty && at_ < request.words.size()) {
    next_ = 0;
    lookedFrom_ = at_;
    ahead_ = walk_.walk(request.words, at_, std::min(at_ + kWindow, request.words.size()));
    starts_ = walk_.starts();
    if (!starts_.empty()) return true;
  }
  if (ahead_.faulty) {
    request.faulty = request.count;
    request.faultyAt = at_;
  }
  return false;
}

/// How many of the problems found, at most `most`, end within the first `room` words from lookedFrom_ on.
std::size_t PackedIntake::fitting(std::size_t most, std::size_t room) const {
  const std::size_t limit = std::min(starts_.size(), next_ + most);
  if (endBefore(limit) <= room) return limit - next_;
  const auto first = starts_.begin() + static_cast<std::ptrdiff_t>(next_) + 1;
  return static_cast<std::size_t>(std::upper_bound(first, starts_.begin() + static_cast<std::ptrdiff_t>(limit), room) - first);
}

int PackedIntake::takeFrom(PackedRequest& request, int most, std::size_t mostWords, uint32_t* offsets) {
  const std::size_t start = at_;
  const std::size_t before = words_;
  int taken = 0;
  while (taken < most && look(request)) {
    const auto wanted = static_cast<std::size_t>(most - taken);
    const std::size_t count = fitting(wanted, mostWords - before + start - lookedFrom_);
    const auto shift = static_cast<uint32_t>(lookedFrom_ + before - start);
    uint32_t* const to = offsets + taken;
    for (std::size_t index = 0; index < count; ++index) to[index] = starts_[next_ + index] + shift;
    const bool full = count < std::min(wanted, starts_.size() - next_);
    taken += static_cast<int>(count);
    request.count += static_cast<int>(count);
    next_ += count;
    at_ = lookedFrom_ + endBefore(next_);
    if (full) break;
  }
  if (at_ > start) pieces_.push_back({request.words.data() + start, at_ - start, before, request.pinned});
  words_ = before + (at_ - start);
  rows_ += taken;
  return taken;
}

void PackedIntake::goOn() {
  ++request_;
  at_ = 0;
  starts_ = {};
  next_ = 0;
  ahead_ = {};
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
    goOn();
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
  for (int before = 0; before < number; ++before) {
    const std::size_t length = packedLength(words, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace roundhouse::route_planner::gpu
