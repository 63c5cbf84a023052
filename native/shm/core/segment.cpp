#include "segment.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "failure.hpp"
#include "layout.hpp"

namespace roundhouse::shm {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

[[noreturn]] void fail(const char* what) {
  throw ShmFailure("NO_MEMORY", std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Segment::Segment(OwnedFd fd, std::uint64_t bytes) : fd_(std::move(fd)), bytes_(bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_.get(), 0);
  if (mapped == MAP_FAILED) fail("mmap");
  data_ = static_cast<std::byte*>(mapped);
}

Segment::Segment(Segment&& other) noexcept
    : fd_(std::move(other.fd_)), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Segment::~Segment() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

Segment Segment::create(std::uint64_t bytes) {
  OwnedFd fd(memfd_create("roundhouse", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) fail("memfd_create");
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  if (fchmod(fd.get(), 0600) != 0) fail("fchmod");
  if (fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) fail("F_ADD_SEALS");
  return Segment(std::move(fd), bytes);
}

Segment Segment::adopt(OwnedFd fd) {
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0) throw ShmFailure("PEER_INVALID", "the descriptor is no memfd");
  if ((seals & kSeals) != kSeals) throw ShmFailure("PEER_INVALID", "the segment is not sealed");
  if ((seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0) {
    throw ShmFailure("PEER_INVALID", "the segment is sealed against writing");
  }
  // Huge pages that are not there would end us with SIGBUS.
  struct statfs system {};
  if (fstatfs(fd.get(), &system) != 0) fail("fstatfs");
  if (system.f_type != TMPFS_MAGIC) throw ShmFailure("PEER_INVALID", "the segment is no ordinary memory");
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) fail("fstat");
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes < Layout::request_ring() || bytes > Layout::kMaxBytes) {
    throw ShmFailure("PEER_INVALID", "the segment has a size out of the limits");
  }
  return Segment(std::move(fd), bytes);
}

}  // namespace roundhouse::shm
