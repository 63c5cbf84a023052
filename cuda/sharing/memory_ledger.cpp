#include "memory_ledger.hpp"

#include <algorithm>

namespace roundhouse::sharing {

MemoryUse& MemoryLedger::of(int device) {
  MemoryUse& use = uses_[device];
  use.device = device;
  use.limit = limit_;
  return use;
}

bool MemoryLedger::reserve(int device, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  MemoryUse& use = of(device);
  if (limit_ != 0 && (bytes > limit_ || use.bytes > limit_ - bytes)) {
    ++use.refusals;
    return false;
  }
  use.bytes += bytes;
  use.peak = std::max(use.peak, use.bytes);
  return true;
}

void MemoryLedger::release(int device, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  MemoryUse& use = of(device);
  use.bytes -= std::min(use.bytes, bytes);
}

void MemoryLedger::hold(const void* memory, int device, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  held_[memory] = {device, bytes};
}

HeldMemory MemoryLedger::forget(const void* memory) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(memory);
  if (found == held_.end()) return {};
  const HeldMemory held = found->second;
  held_.erase(found);
  return held;
}

void MemoryLedger::noteArena(int device, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  of(device).arena = bytes;
}

void MemoryLedger::noteLeased(int device, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  MemoryUse& use = of(device);
  use.arenaPeak = std::max(use.arenaPeak, bytes);
}

std::vector<MemoryUse> MemoryLedger::uses() const {
  const std::lock_guard lock(mutex_);
  std::vector<MemoryUse> all;
  for (const auto& [device, use] : uses_) all.push_back(use);
  return all;
}

}  // namespace roundhouse::sharing
