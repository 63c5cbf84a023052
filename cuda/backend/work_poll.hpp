#pragma once

#include <cstdint>

namespace roundhouse {

/// Says when a long computation should look whether it is still wanted: first at once, then whenever so much work was
/// done. A unit is about what one node of a route search costs, a tenth of a microsecond.
class WorkPoll {
 public:
  static constexpr std::int64_t kInterval = 2'000;

  /// `work` was done since the last call.
  bool due(std::int64_t work) {
    left_ -= work;
    if (left_ > 0) return false;
    left_ = kInterval;
    return true;
  }

 private:
  std::int64_t left_ = 0;
};

/// What the tables of one route problem cost beside the nodes of its search.
constexpr std::int64_t kWorkPerProblem = 20;

}  // namespace roundhouse
