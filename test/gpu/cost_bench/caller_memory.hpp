#pragma once

#include <cstdlib>
#include <stdexcept>

#include "../../../cuda/device/device_count.hpp"
#include "../../../cuda/device/memory.hpp"
#include "../triton_host.hpp"

namespace roundhouse::test {

/// Memory of a caller's buffers, page-locked or not, handed out 64-byte aligned, one behind the other as in a slot.
class CallerMemory {
 public:
  CallerMemory(std::size_t bytes, bool wantsPinned) : kind(canPin(wantsPinned) ? kPinned : kPageable), bytes_(bytes) {
    const bool pinned = canPin(wantsPinned);
    if (pinned) {
      pinned_.demand(bytes);
    } else {
      pageable_.resize(bytes + 64);
    }
    std::byte* const start = pinned ? pinned_.as<std::byte>() : pageable_.data();
    next_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(start) + 63) / 64 * 64);
  }

  template <typename T>
  T* take(std::size_t count) {
    const std::size_t step = (count * sizeof(T) + 63) / 64 * 64;
    if (step > bytes_) throw std::logic_error("the bench's memory is too small");
    bytes_ -= step;
    T* const taken = reinterpret_cast<T*>(next_);
    next_ += step;
    return taken;
  }

  /// Without a GPU there is nothing to lock memory for.
  static bool canPin(bool wanted) { return wanted && device::deviceCount() > 0; }

  const MemoryKind kind;

 private:
  device::PinnedMemory pinned_;
  std::vector<std::byte> pageable_;
  std::byte* next_ = nullptr;
  std::size_t bytes_;
};

}  // namespace roundhouse::test
