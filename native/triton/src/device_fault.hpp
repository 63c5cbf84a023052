// Whether a backend has said that its device is broken: that holds for the whole process and for good.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace roundhouse {

inline std::atomic<bool> device_is_broken{false};
inline std::mutex device_fault_mutex;
inline std::string device_fault_reason;  // the first one

// Any thread.
inline void note_broken_device(std::string_view reason) {
  const std::lock_guard lock(device_fault_mutex);
  if (device_fault_reason.empty()) device_fault_reason = reason;
  device_is_broken.store(true, std::memory_order_release);
}

// Any thread. A backend begins its message with the code of the error table.
inline void note_device_fault(std::string_view message) {
  constexpr std::string_view code = "DEVICE_FAULT: ";
  if (message.starts_with(code)) note_broken_device(message.substr(code.size()));
}

}  // namespace roundhouse
