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
  // A product could wrap.
  const std::size_t rows = values / features;
  if (values % features != 0 || shape[0] != static_cast<std::int64_t>(rows)) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' has another size than its shape says");
  }
  return rows;
}

}  // namespace roundhouse::delivery_time
