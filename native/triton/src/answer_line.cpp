#include "answer_line.hpp"

namespace roundhouse {
namespace {

// What a peer may leave unread.
constexpr std::uint64_t kMostBytes = 16 << 20;

}  // namespace

bool AnswerLine::wait(const shm::Bytes& frame) {
  bytes_ += frame.size();
  if (bytes_ > kMostBytes || !ring_.could_hold(frame.size())) return false;
  waiting_.push_back(frame);
  return true;
}

void AnswerLine::flush() {
  while (!waiting_.empty() && ring_.push(waiting_.front())) {
    bytes_ -= waiting_.front().size();
    waiting_.pop_front();
  }
}

}  // namespace roundhouse
