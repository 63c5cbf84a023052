// Answers of a session on their way into its ring: those that find no room wait here, in order and up to a bound.
#pragma once

#include <cstdint>
#include <deque>

#include "frames.hpp"
#include "ring.hpp"

namespace roundhouse {

class AnswerLine {
 public:
  explicit AnswerLine(shm::RingProducer ring) : ring_(std::move(ring)) {}

  // False where there is no room, or others wait already.
  bool push(const shm::Bytes& frame) { return waiting_.empty() && ring_.push(frame); }
  // False where the peer lets too much lie, or the frame could never be pushed.
  bool wait(const shm::Bytes& frame);
  void flush();
  void clear() { waiting_.clear(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  shm::RingProducer ring_;
  std::deque<shm::Bytes> waiting_;
  std::uint64_t bytes_ = 0;
};

}  // namespace roundhouse
