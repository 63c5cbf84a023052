#include "predict_in_pieces.hpp"

#include <algorithm>

namespace roundhouse::delivery_time {
namespace {

/// Asks for every caller with rows in [first, last); whoever doesn't want them any more is done. Is anyone left?
bool anyWants(std::span<const std::size_t> ends, std::size_t first, std::size_t last,
              const std::function<bool(std::size_t)>& wanted, std::vector<bool>& served) {
  bool any = false;
  for (std::size_t caller = 0, begin = 0; caller < ends.size(); begin = ends[caller++]) {
    const bool hasRows = begin < ends[caller] && begin < last && ends[caller] > first;
    if (!hasRows || !served[caller]) continue;
    served[caller] = wanted(caller);
    any = any || served[caller];
  }
  return any;
}

void tellFinished(std::span<const std::size_t> ends, std::size_t first, std::size_t last, const std::vector<bool>& served,
                  const std::function<void(std::size_t)>& finished) {
  for (std::size_t caller = 0, begin = 0; caller < ends.size(); begin = ends[caller++]) {
    const bool endsHere = begin < ends[caller] && ends[caller] > first && ends[caller] <= last;
    if (endsHere && served[caller]) finished(caller);
  }
}

}  // namespace

std::vector<bool> predictInPieces(Network& network, const float* features, std::span<const std::size_t> ends,
                                  float* quantiles, const std::function<bool(std::size_t)>& wanted,
                                  const std::function<void(std::size_t)>& finished) {
  const Columns columns = network.columns();
  std::vector<bool> served(ends.size(), true);
  const std::size_t rows = ends.empty() ? 0 : ends.back();
  for (std::size_t first = 0; first < rows; first += kPieceRows) {
    const std::size_t last = std::min(rows, first + kPieceRows);
    if (!anyWants(ends, first, last, wanted, served)) continue;
    network.predict(features + first * columns.features, last - first, quantiles + first * columns.quantiles);
    tellFinished(ends, first, last, served, finished);
  }
  return served;
}

}  // namespace roundhouse::delivery_time
