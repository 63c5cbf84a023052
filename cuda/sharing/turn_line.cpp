#include "turn_line.hpp"

#include <algorithm>

namespace roundhouse::sharing {

std::vector<TurnLine::End> TurnLine::begin(std::uint64_t& id, double demand, End end) {
  std::size_t mustPass = turns_.size();
  for (double taken = 0; mustPass > 0; --mustPass) {
    taken += turns_[mustPass - 1].demand;
    // Sums of tenths and the like are no whole ones.
    if (taken >= 1 - 1e-9) break;
  }
  std::vector<End> before;
  for (std::size_t index = 0; index < mustPass; ++index) before.push_back(turns_[index].end);
  id = ++last_;
  turns_.push_back({id, demand, end});
  return before;
}

void TurnLine::leave(std::uint64_t id) {
  std::erase_if(turns_, [&](const Turn& turn) { return turn.id == id; });
}

}  // namespace roundhouse::sharing
