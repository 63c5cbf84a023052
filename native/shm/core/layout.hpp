// Where things lie in a segment: a header, two rings of frames (requests, answers) and slots in size classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roundhouse::shm {

struct SlotClass {
  std::uint64_t slot_bytes = 0;  // a multiple of the page
  std::uint64_t count = 0;
};

struct SlotRef {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t slot = kNone;
  std::uint32_t generation = 0;
  bool none() const { return slot == kNone; }
};

class Layout {
 public:
  static constexpr std::size_t kMaxClasses = 8;
  static constexpr std::uint64_t kMaxSlots = 1ULL << 18;
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kMaxBytes = 1ULL << 36;

  // Classes ascend in size. Throws SETTINGS_INVALID.
  Layout(std::uint64_t ring_bytes, std::vector<SlotClass> classes);
  // Reads what a peer wrote, once. Throws PEER_INVALID unless it describes exactly `segment_bytes`.
  static Layout read(const std::byte* segment, std::uint64_t segment_bytes);
  void write(std::byte* segment) const;

  std::uint64_t total_bytes() const { return total_bytes_; }
  std::uint64_t ring_bytes() const { return ring_bytes_; }
  static constexpr std::uint64_t request_control() { return kPage; }
  static constexpr std::uint64_t answer_control() { return 2 * kPage; }
  static constexpr std::uint64_t request_ring() { return 3 * kPage; }
  std::uint64_t answer_ring() const { return request_ring() + ring_bytes_; }

  const std::vector<SlotClass>& classes() const { return classes_; }
  std::uint32_t slot_count() const { return slot_count_; }
  std::uint64_t largest_slot() const { return classes_.back().slot_bytes; }
  // Of a slot below slot_count().
  std::uint64_t slot_offset(std::uint32_t slot) const;
  std::uint64_t slot_bytes(std::uint32_t slot) const;
  // Does a slot of that number exist, and do `length` bytes from `offset` lie in it?
  bool holds(std::uint32_t slot, std::uint64_t offset, std::uint64_t length) const;

 private:
  std::size_t class_of(std::uint32_t slot) const;

  std::uint64_t ring_bytes_;
  std::vector<SlotClass> classes_;
  std::vector<std::uint64_t> class_offset_;
  std::vector<std::uint32_t> class_first_;
  std::uint32_t slot_count_ = 0;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace roundhouse::shm
