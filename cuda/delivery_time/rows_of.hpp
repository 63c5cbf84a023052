#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "error.hpp"

namespace roundhouse::delivery_time {

/// Rows of a `features` of that shape and size. Throws Error where it isn't [N, features].
inline std::size_t rowsOf(std::span<const std::int64_t> shape, std::size_t values, std::size_t features) {
  if (shape.size() != 2 || shape[1] != static_cast<std::int64_t>(features)) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' must have shape [N, " + std::to_string(features) + "]");
  }
  const auto rows = static_cast<std::size_t>(shape[0]);
  if (values != rows * features) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' has another size than its shape says");
  }
  return rows;
}

}  // namespace roundhouse::delivery_time
