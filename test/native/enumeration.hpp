#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../cuda/route_planner/algo/problem.hpp"

/**
 * The independent checker: every sequence in lexicographic order, the walk of schemas/src/tensors.ts read again from
 * its text, sums in 128 bits. It shares no code with the planner but the problem's struct, and no shortcut at all.
 */
namespace roundhouse::test {

using route_planner::Group;
using route_planner::Problem;
using route_planner::StopKind;

struct Route {
  __int128 cost;
  std::vector<int> stops;
};

class Enumeration {
 public:
  explicit Enumeration(const Problem& problem) : problem_(problem) {}

  std::optional<Route> cheapest() {
    long long load = 0;
    for (int i = 0; i < problem_.orderCount; ++i) {
      if (problem_.orders[i].onBoard) load += problem_.orders[i].size;
    }
    continueFrom(0, problem_.startAt, load, 0, 0);
    return best_;
  }

  /// Cost of one sequence, or nothing if it is not allowed.
  std::optional<Route> walkOnly(const std::vector<int>& stops) {
    only_ = &stops;
    return cheapest();
  }

 private:
  bool visited(int stop) const {
    for (const int seen : path_) {
      if (seen == stop) return true;
    }
    return false;
  }

  bool allowedNext(int stop) const {
    const auto& wanted = problem_.stops[stop];
    for (int other = 1; other <= problem_.stopCount; ++other) {
      if (visited(other)) continue;
      const auto& open = problem_.stops[other];
      if (!problem_.interleave && open.group < wanted.group) return false;
      if (wanted.kind != StopKind::dropoff || open.kind != StopKind::pickup) continue;
      if (open.orders & wanted.orders) return false;
    }
    return true;
  }

  void continueFrom(int at, long long time, long long load, __int128 late, __int128 fresh) {
    if (static_cast<int>(path_.size()) == problem_.stopCount) {
      const __int128 cost = late * problem_.weightLateness +
                            static_cast<__int128>(time - problem_.startAt) * problem_.weightDuration +
                            fresh * problem_.weightFreshness;
      if (!best_ || cost < best_->cost) best_ = Route{cost, path_};
      return;
    }
    for (int stop = 1; stop <= problem_.stopCount; ++stop) {
      if (only_ != nullptr && (*only_)[path_.size()] != stop) continue;
      if (!visited(stop) && allowedNext(stop)) visit(at, stop, time, load, late, fresh);
    }
  }

  void visit(int at, int number, long long time, long long load, __int128 late, __int128 fresh) {
    const auto& stop = problem_.stops[number];
    long long served = time + problem_.travel[at][number] + stop.preService;
    const int sign = stop.kind == StopKind::pickup ? 1 : -1;
    for (int i = 0; i < problem_.orderCount; ++i) {
      if (!(stop.orders & (1 << i))) continue;
      load += sign * static_cast<long long>(problem_.orders[i].size);
      if (sign > 0 && served < problem_.orders[i].ready) served = problem_.orders[i].ready;
      if (sign < 0) {
        if (served > problem_.orders[i].latestDropoff) return;
        if (served > problem_.orders[i].promised) late += served - problem_.orders[i].promised;
        fresh += served - problem_.orders[i].ready;
      }
    }
    if (sign > 0 && (served > problem_.latestPickup || load > problem_.capacity)) return;
    path_.push_back(number);
    continueFrom(number, served + stop.postService, load, late, fresh);
    path_.pop_back();
  }

  const Problem& problem_;
  const std::vector<int>* only_ = nullptr;
  std::vector<int> path_;
  std::optional<Route> best_;
};

inline std::string sequenceText(const std::vector<int>& stops) {
  std::string text;
  for (const int stop : stops) {
    if (!text.empty()) text += ' ';
    text += std::to_string(stop);
  }
  return text;
}

inline std::string sequenceText(const route_planner::Plan& plan) {
  return sequenceText(std::vector<int>(plan.stops, plan.stops + plan.stopCount));
}

}  // namespace roundhouse::test
