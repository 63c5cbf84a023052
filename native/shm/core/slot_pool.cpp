#include "slot_pool.hpp"

namespace roundhouse::shm {

SlotPool::SlotPool(const Layout& layout)
    : classes_(layout.classes()), free_(classes_.size()), slots_(layout.slot_count()) {
  class_of_.reserve(slots_.size());
  for (std::uint32_t number = 0; number < classes_.size(); ++number) {
    const auto first = static_cast<std::uint32_t>(class_of_.size());
    const auto count = static_cast<std::uint32_t>(classes_[number].count);
    class_of_.insert(class_of_.end(), count, number);
    for (std::uint32_t i = count; i > 0; --i) free_[number].push_back(first + i - 1);
  }
}

std::optional<SlotRef> SlotPool::take(std::uint64_t bytes) {
  for (std::size_t number = 0; number < classes_.size(); ++number) {
    if (classes_[number].slot_bytes < bytes || free_[number].empty()) continue;
    const std::uint32_t slot = free_[number].back();
    free_[number].pop_back();
    slots_[slot].held = true;
    ++held_;
    return SlotRef{slot, ++slots_[slot].generation};
  }
  return std::nullopt;
}

std::uint64_t SlotPool::held_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t number = 0; number < classes_.size(); ++number) {
    bytes += (classes_[number].count - free_[number].size()) * classes_[number].slot_bytes;
  }
  return bytes;
}

bool SlotPool::is_held(SlotRef lease) const {
  if (lease.slot >= slots_.size()) return false;
  const Slot& slot = slots_[lease.slot];
  return slot.held && slot.generation == lease.generation;
}

bool SlotPool::give_back(SlotRef lease) {
  if (!is_held(lease)) return false;
  slots_[lease.slot].held = false;
  free_[class_of_[lease.slot]].push_back(lease.slot);
  --held_;
  return true;
}

bool SlotLedger::claim(SlotRef lease) {
  if (lease.slot >= slots_.size()) return false;
  Slot& slot = slots_[lease.slot];
  // Generations wrap around: newer is a positive distance.
  const auto distance = static_cast<std::int32_t>(lease.generation - slot.generation);
  if (slot.in_use || distance <= 0) return false;
  slot = {lease.generation, true};
  return true;
}

void SlotLedger::let_go(SlotRef lease) {
  if (lease.slot < slots_.size()) slots_[lease.slot].in_use = false;
}

}  // namespace roundhouse::shm
