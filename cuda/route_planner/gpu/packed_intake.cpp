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
    starts_.clear();
    next_ = 0;
    lookedFrom_ = at_;
    ahead_ = walk_.walk(request.words, at_, std::min(at_ + kWindow, request.words.size()), starts_);
    if (!starts_.empty()) return true;
  }
  if (ahead_.faulty) {
    request.faulty = request.count;
    request.faultyAt = at_;
  }
  return false;
}

int PackedIntake::takeFrom(PackedRequest& request, int most, std::size_t mostWords, uint32_t* offsets) {
  const std::size_t start = at_;
  const std::size_t before = words_;
  int taken = 0;
  while (taken < most && look(request)) {
    const std::size_t end = next_ + 1 < starts_.size() ? lookedFrom_ + starts_[next_ + 1] : ahead_.at;
    if (before + (end - start) > mostWords) break;
    offsets[taken++] = static_cast<uint32_t>(before + (at_ - start));
    ++request.count;
    ++next_;
    at_ = end;
  }
  if (at_ > start) pieces_.push_back({request.words.data() + start, at_ - start, before, request.pinned});
  words_ = before + (at_ - start);
  rows_ += taken;
  return taken;
}

void PackedIntake::goOn() {
  ++request_;
  at_ = 0;
  starts_.clear();
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
