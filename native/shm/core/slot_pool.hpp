// The slots of a segment as their one owner sees them, the sender of requests. Not shared: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout.hpp"

namespace roundhouse::shm {

class SlotPool {
 public:
  explicit SlotPool(const Layout& layout);

  // The smallest free slot that holds so many bytes, the one given back last first.
  std::optional<SlotRef> take(std::uint64_t bytes);
  // False for a lease that was given back before: its generation is stale.
  bool give_back(SlotRef lease);
  bool is_held(SlotRef lease) const;
  // The lease that `renew` will make of a held one: whoever has the old one can't end it any more.
  static SlotRef renewed(SlotRef lease) { return {lease.slot, lease.generation + 1}; }
  void renew(SlotRef lease) { slots_[lease.slot].generation = renewed(lease).generation; }
  std::uint32_t held() const { return held_; }
  // Of the slots that are held, whole.
  std::uint64_t held_bytes() const;

 private:
  struct Slot {
    std::uint32_t generation = 0;
    bool held = false;
  };
  std::vector<SlotClass> classes_;
  std::vector<std::vector<std::uint32_t>> free_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> class_of_;
  std::uint32_t held_ = 0;
};

// What the receiver remembers: a lease is newer than the last one of its slot, and not in use yet.
class SlotLedger {
 public:
  explicit SlotLedger(std::uint32_t slots) : slots_(slots) {}
  // False for a stale generation or a slot in use.
  bool claim(SlotRef lease);
  void let_go(SlotRef lease);

 private:
  struct Slot {
    std::uint32_t generation = 0;
    bool in_use = false;
  };
  std::vector<Slot> slots_;
};

}  // namespace roundhouse::shm
