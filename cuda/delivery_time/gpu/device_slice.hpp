#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "network.hpp"
#include "request.hpp"

namespace roundhouse::delivery_time::gpu {

/// Where a request's features lie: the core may hold them in several buffers.
struct Part {
  const void* start = nullptr;
  std::size_t bytes = 0;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  /// Where `memory` is a GPU's: which one's.
  std::int64_t device = 0;
};

/// One request; `offset` is its first row in the batch's own buffers.
struct Slice {
  std::vector<Part> parts{};
  std::size_t rows = 0;
  std::size_t offset = 0;
  std::unique_ptr<backend::Reply> reply{};
  backend::OutputPlace place{};
  /// The instance's GPU. What lies on another one is copied.
  std::int64_t device = 0;

  bool inDeviceMemory() const { return parts.front().memory == TRITONSERVER_MEMORY_GPU; }
  bool inHostMemory() const {
    return std::none_of(parts.begin(), parts.end(),
                        [](const Part& part) { return part.memory == TRITONSERVER_MEMORY_GPU; });
  }
  /// Its features can be read where they lie, by a call that runs nothing else.
  bool isReadable() const {
    return parts.size() == 1 && inDeviceMemory() && parts.front().device == device && isAligned(parts.front().start);
  }
  /// Its quantiles can be written where they belong, by such a call.
  bool isWritable() const {
    return place.memory == TRITONSERVER_MEMORY_GPU && place.device == device && isAligned(place.start);
  }
  /// A graph of this GPU can copy them, of any alignment.
  bool isLocal() const {
    const auto local = [&](TRITONSERVER_MemoryType memory, std::int64_t on) {
      return memory != TRITONSERVER_MEMORY_GPU || on == device;
    };
    return parts.size() == 1 && local(parts.front().memory, parts.front().device) && local(place.memory, place.device);
  }

 private:
  /// As TensorRT reads fastest.
  static bool isAligned(const void* start) { return reinterpret_cast<std::uintptr_t>(start) % 16 == 0; }
};

/// Throws Error where the request has other features than the columns say.
Slice readSlice(TRITONBACKEND_Request* request, const Columns& columns, int device);

/// Makes the reply of a slice and asks where its quantiles belong.
void placeReply(TRITONBACKEND_Request* request, Slice& slice, const Columns& columns, int device);

}  // namespace roundhouse::delivery_time::gpu
