#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roundhouse::sharing {

/// Who is in a phase on one GPU, in the order of their turns. A turn begins while any of the phase's capacity is free, and
/// may want more than is left (policy/scheduling has the same rule). Knows no device and no threads: its owner locks.
class TurnLine {
 public:
  /// What the end of a turn is known by: an event, to whoever made it.
  using End = void*;

  /// A turn that takes `demand` of a capacity of 1, above 0. Returns the ends that have to pass before it begins.
  std::vector<End> begin(std::uint64_t& id, double demand, End end);
  /// The turn's work has passed. One that has left already is passed over.
  void leave(std::uint64_t id);
  std::size_t size() const { return turns_.size(); }

 private:
  struct Turn {
    std::uint64_t id;
    double demand;
    End end;
  };
  /// The oldest first.
  std::vector<Turn> turns_;
  std::uint64_t last_ = 0;
};

}  // namespace roundhouse::sharing
