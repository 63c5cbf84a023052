#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace roundhouse::route_planner::gpu {

/// Where a batch takes memory from: page-locked for a GPU, plain elsewhere. `take` throws, `give` does not.
struct HostAllocator {
  void* (*take)(std::size_t bytes);
  void (*give)(void* memory) noexcept;
};

namespace detail {

inline void* takePlain(std::size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
inline void givePlain(void* memory) noexcept { std::free(memory); }

}  // namespace detail

inline HostAllocator plainMemory() { return {&detail::takePlain, &detail::givePlain}; }

/// Memory that grows without keeping its content.
class HostMemory {
 public:
  explicit HostMemory(HostAllocator allocator) : allocator_(allocator) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() {
    if (memory_ != nullptr) allocator_.give(memory_);
  }

  void require(std::size_t bytes) {
    if (bytes <= bytes_) return;
    if (memory_ != nullptr) allocator_.give(std::exchange(memory_, nullptr));
    bytes_ = 0;
    memory_ = allocator_.take(bytes);
    bytes_ = bytes;
  }

  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  HostAllocator allocator_;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace roundhouse::route_planner::gpu
