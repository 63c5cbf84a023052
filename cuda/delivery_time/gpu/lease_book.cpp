#include "lease_book.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

/// What TensorRT asks of activation memory.
constexpr std::size_t kAlignment = 512;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

std::size_t LeaseBook::addChunk(std::size_t bytes) {
  chunks_.push_back(bytes);
  return chunks_.size() - 1;
}

std::size_t LeaseBook::largestChunk() const {
  return chunks_.empty() ? 0 : *std::max_element(chunks_.begin(), chunks_.end());
}

std::size_t LeaseBook::bytes() const { return std::accumulate(chunks_.begin(), chunks_.end(), std::size_t{0}); }

std::size_t LeaseBook::reach() const {
  std::vector<std::size_t> ends(chunks_.size());
  for (const Held& held : held_) {
    ends[held.lease.chunk] = std::max(ends[held.lease.chunk], held.lease.offset + held.lease.bytes);
  }
  return std::accumulate(ends.begin(), ends.end(), std::size_t{0});
}

std::optional<LeaseBook::Lease> LeaseBook::take(std::size_t bytes) {
  const std::size_t needed = aligned(std::max<std::size_t>(bytes, 1));
  if (needed > largestChunk()) {
    throw Error(ErrorCode::modelFailed, "a call needs " + std::to_string(needed) + " bytes of activations, the arena has " +
                                            std::to_string(largestChunk()));
  }
  std::optional<Place> best;
  std::size_t bestChunk = 0;
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    auto place = bestPlace(chunk, needed);
    if (!place || (best && best->newest() <= place->newest())) continue;
    best = std::move(place);
    bestChunk = chunk;
  }
  if (!best) return std::nullopt;
  const Lease lease{++last_, bestChunk, best->offset, needed, best->after};
  held_.push_back({lease, true});
  return lease;
}

/// Places that begin where the chunk or a lease ends its predecessor are enough: any other can be moved down to one.
std::optional<LeaseBook::Place> LeaseBook::bestPlace(std::size_t chunk, std::size_t bytes) const {
  std::optional<Place> best = placeAt(chunk, 0, bytes);
  for (const Held& held : held_) {
    if (held.lease.chunk != chunk) continue;
    auto place = placeAt(chunk, held.lease.offset + held.lease.bytes, bytes);
    if (place && (!best || place->newest() < best->newest())) best = std::move(place);
  }
  return best;
}

std::optional<LeaseBook::Place> LeaseBook::placeAt(std::size_t chunk, std::size_t offset, std::size_t bytes) const {
  if (offset + bytes > chunks_[chunk]) return std::nullopt;
  const Lease wanted{0, chunk, offset, bytes, {}};
  Place place{offset, {}};
  for (const Held& held : held_) {
    if (!overlap(held.lease, wanted)) continue;
    if (held.open) return std::nullopt;
    place.after.push_back(held.lease.id);
  }
  return place;
}

bool LeaseBook::overlap(const Lease& one, const Lease& other) {
  return one.chunk == other.chunk && one.offset < other.offset + other.bytes && other.offset < one.offset + one.bytes;
}

bool LeaseBook::reopen(std::uint64_t id, std::size_t bytes) {
  const auto mine = std::find_if(held_.begin(), held_.end(), [id](const Held& held) { return held.lease.id == id; });
  if (mine == held_.end() || mine->open || mine->lease.bytes < bytes) return false;
  const bool shared = std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
    return held.lease.id != id && overlap(held.lease, mine->lease);
  });
  if (shared) return false;
  mine->open = true;
  return true;
}

const LeaseBook::Lease& LeaseBook::lease(std::uint64_t id) const {
  return std::find_if(held_.begin(), held_.end(), [id](const Held& held) { return held.lease.id == id; })->lease;
}

void LeaseBook::close(std::uint64_t id) {
  for (Held& held : held_) {
    if (held.lease.id == id) held.open = false;
  }
}

void LeaseBook::drop(std::uint64_t id) {
  std::erase_if(held_, [id](const Held& held) { return held.lease.id == id; });
}

std::vector<std::uint64_t> LeaseBook::closed() const {
  std::vector<std::uint64_t> ids;
  for (const Held& held : held_) {
    if (!held.open) ids.push_back(held.lease.id);
  }
  return ids;
}

}  // namespace roundhouse::delivery_time::gpu
