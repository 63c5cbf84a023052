#include "layout.hpp"

#include <bit>
#include <cstring>

#include "failure.hpp"

namespace roundhouse::shm {
namespace {

constexpr std::uint64_t kMagic = 0x31306d68732d6872ULL;  // "rh-shm01"

struct Header {
  std::uint64_t magic;
  std::uint64_t total_bytes;
  std::uint64_t ring_bytes;
  std::uint64_t class_count;
  SlotClass classes[Layout::kMaxClasses];
};

[[noreturn]] void refuse(const char* what) { throw ShmFailure("SETTINGS_INVALID", what); }

}  // namespace

Layout::Layout(std::uint64_t ring_bytes, std::vector<SlotClass> classes)
    : ring_bytes_(ring_bytes), classes_(std::move(classes)) {
  if (!std::has_single_bit(ring_bytes) || ring_bytes < kPage || ring_bytes > (1ULL << 30)) {
    refuse("a ring has a power of two of bytes, 4 KiB to 1 GiB");
  }
  if (classes_.empty() || classes_.size() > kMaxClasses) refuse("1 to 8 classes of slots");
  std::uint64_t end = request_ring() + 2 * ring_bytes;
  std::uint64_t smaller = 0;
  for (const SlotClass& sizes : classes_) {
    std::uint64_t bytes = 0;
    if (sizes.slot_bytes <= smaller || sizes.slot_bytes % kPage != 0) refuse("slots ascend in whole pages");
    if (sizes.count == 0 || sizes.count > kMaxSlots - slot_count_) refuse("a class has a slot, all have 262144");
    if (__builtin_mul_overflow(sizes.slot_bytes, sizes.count, &bytes)) refuse("the slots are too large");
    class_offset_.push_back(end);
    class_first_.push_back(slot_count_);
    slot_count_ += static_cast<std::uint32_t>(sizes.count);
    if (__builtin_add_overflow(end, bytes, &end) || end > kMaxBytes) refuse("the segment is too large");
    smaller = sizes.slot_bytes;
  }
  total_bytes_ = end;
}

Layout Layout::read(const std::byte* segment, std::uint64_t segment_bytes) {
  Header header;
  if (segment_bytes < request_ring()) throw ShmFailure("PEER_INVALID", "the segment is too short");
  std::memcpy(&header, segment, sizeof header);
  if (header.magic != kMagic) throw ShmFailure("PEER_INVALID", "the segment is none of this version");
  if (header.class_count > kMaxClasses) throw ShmFailure("PEER_INVALID", "too many classes of slots");
  try {
    Layout layout(header.ring_bytes, {header.classes, header.classes + header.class_count});
    if (layout.total_bytes() == segment_bytes && header.total_bytes == segment_bytes) return layout;
  } catch (const ShmFailure& failure) {
    throw ShmFailure("PEER_INVALID", failure.what());
  }
  throw ShmFailure("PEER_INVALID", "the segment has another size than its header says");
}

void Layout::write(std::byte* segment) const {
  Header header{kMagic, total_bytes_, ring_bytes_, classes_.size(), {}};
  for (std::size_t i = 0; i < classes_.size(); ++i) header.classes[i] = classes_[i];
  std::memcpy(segment, &header, sizeof header);
}

std::size_t Layout::class_of(std::uint32_t slot) const {
  std::size_t found = classes_.size() - 1;
  while (class_first_[found] > slot) --found;
  return found;
}

std::uint64_t Layout::slot_offset(std::uint32_t slot) const {
  const std::size_t found = class_of(slot);
  return class_offset_[found] + (slot - class_first_[found]) * classes_[found].slot_bytes;
}

std::uint64_t Layout::slot_bytes(std::uint32_t slot) const { return classes_[class_of(slot)].slot_bytes; }

bool Layout::holds(std::uint32_t slot, std::uint64_t offset, std::uint64_t length) const {
  if (slot >= slot_count_) return false;
  const std::uint64_t bytes = slot_bytes(slot);
  return offset <= bytes && length <= bytes - offset;
}

}  // namespace roundhouse::shm
