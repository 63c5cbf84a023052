#pragma once

#include <functional>
#include <span>
#include <vector>

#include "network.hpp"

namespace roundhouse::delivery_time {

/// Rows of one call to the network: well below a millisecond.
constexpr std::size_t kPieceRows = 512;

/// Predicts the rows of several callers in calls of at most kPieceRows, for a network whose rows don't depend on their
/// batch. The rows of caller i end at `ends[i]`. `wanted(i)` is asked before every call that has rows of i; rows that
/// nobody wants are left out. True for the callers that had all their rows predicted; `finished(i)` is called for each of
/// them that has rows, as soon as it is so. Throws as the network does.
std::vector<bool> predictInPieces(
    Network& network, const float* features, std::span<const std::size_t> ends, float* quantiles,
    const std::function<bool(std::size_t)>& wanted,
    const std::function<void(std::size_t)>& finished = [](std::size_t) {});

}  // namespace roundhouse::delivery_time
