#pragma once

#include <cstddef>

#include "answer.hpp"

namespace roundhouse::route_planner::gpu {

/// A problem of a kernel: its record in the arena, in units of 16 bytes, and where its answer goes.
struct Item {
  uint32_t offset;
  uint32_t index;
};

/// A batch in device memory.
struct DeviceBatch {
  const std::byte* d_arena;
  const Item* d_items;
  Answer* d_answers;
};

}  // namespace roundhouse::route_planner::gpu
