// A sealed memfd and its mapping. It has no name: when both sides are gone, so is the memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "owned_fd.hpp"

namespace roundhouse::shm {

class Segment {
 public:
  // Of exactly so many bytes, zero, sealed against shrinking, growing and more seals.
  static Segment create(std::uint64_t bytes);
  // Maps what a peer sent. Throws PEER_INVALID unless it is sealed alike: a segment that the peer can truncate
  // would end us with SIGBUS.
  static Segment adopt(OwnedFd fd);
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  ~Segment();

  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  int fd() const { return fd_.get(); }
  // The mapping needs no descriptor.
  void close_fd() { fd_.reset(); }

 private:
  Segment(OwnedFd fd, std::uint64_t bytes);

  OwnedFd fd_;
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace roundhouse::shm
