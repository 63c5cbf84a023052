// Whether a backend has said that its device is broken: that holds for the whole process and for good.
#pragma once

#include <atomic>
#include <string_view>

namespace roundhouse {

inline std::atomic<bool> device_is_broken{false};

// Any thread. A backend begins its message with the code of the error table.
inline void note_device_fault(std::string_view message) {
  if (message.starts_with("DEVICE_FAULT: ")) device_is_broken.store(true, std::memory_order_release);
}

}  // namespace roundhouse
