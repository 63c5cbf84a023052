#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace roundhouse::delivery_time::gpu {

/// Batch sizes that a plan is optimised for, ascending. A call runs with the smallest one that holds its rows, and the
/// last one bounds a call.
using Profiles = std::vector<std::size_t>;

/// "256 2048"; throws Error for anything else than ascending whole numbers within 1…1,048,576, at most eight.
Profiles parseProfiles(const std::string& text);
std::string textOf(const Profiles& profiles);

/// Index of the profile for a call of `rows`, which is at most the last one.
std::size_t profileFor(const Profiles& profiles, std::size_t rows);

/// Rows of the next call when `left` are left. Only the last call of several is smaller than the largest profile.
std::size_t nextPiece(const Profiles& profiles, std::size_t left);

/// Rows that the graph for a batch of `rows` is captured with: a power of two, at least 8, at most `most`.
std::size_t paddedRows(std::size_t rows, std::size_t most);

}  // namespace roundhouse::delivery_time::gpu
