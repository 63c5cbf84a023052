#include "profiles.hpp"

#include <algorithm>
#include <bit>
#include <sstream>

#include "error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kMostProfiles = 8;
constexpr std::size_t kMostRows = 1'048'576;
constexpr std::size_t kLeastPadded = 8;

}  // namespace

Profiles parseProfiles(const std::string& text) {
  Profiles profiles;
  std::istringstream words(text);
  for (std::size_t rows = 0; words >> rows;) profiles.push_back(rows);
  const bool ascends =
      std::adjacent_find(profiles.begin(), profiles.end(), std::greater_equal<>()) == profiles.end();
  const bool fits = words.eof() && !profiles.empty() && profiles.size() <= kMostProfiles && ascends &&
                    profiles.front() >= 1 && profiles.back() <= kMostRows;
  if (!fits) {
    throw Error(ErrorCode::modelFailed, "the batch sizes '" + text + "' are not 1 to " + std::to_string(kMostProfiles) +
                                            " ascending numbers of rows, at most " + std::to_string(kMostRows));
  }
  return profiles;
}

std::string textOf(const Profiles& profiles) {
  std::string text;
  for (const std::size_t rows : profiles) {
    if (!text.empty()) text += ' ';
    text += std::to_string(rows);
  }
  return text;
}

std::size_t profileFor(const Profiles& profiles, std::size_t rows) {
  const auto found = std::lower_bound(profiles.begin(), profiles.end(), rows);
  return static_cast<std::size_t>(found - profiles.begin());
}

std::size_t nextPiece(const Profiles& profiles, std::size_t left) { return std::min(left, profiles.back()); }

std::size_t paddedRows(std::size_t rows, std::size_t most) {
  return std::min(most, std::max(kLeastPadded, std::bit_ceil(rows)));
}

}  // namespace roundhouse::delivery_time::gpu
