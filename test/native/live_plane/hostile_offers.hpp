// Offers of a session that no peer of ours makes: memory that isn't sealed or lies about itself, descriptors of other
// kinds, messages that are no offers. The engine says why it refuses each.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <string>

#include "check.hpp"
#include "plane_peer.hpp"

namespace roundhouse::test {

// What the engine says to an offer of these descriptors.
inline std::string offer(const std::string& path, int segment, int request_event, int answer_event) {
  const shm::OwnedFd socket = shm::connect_to(path);
  shm::send_offer(socket.get(), segment, request_event, answer_event);
  pollfd ready{socket.get(), POLLIN, 0};
  if (::poll(&ready, 1, 20'000) <= 0) return "no reply";
  char text[512];
  const ssize_t size = recv(socket.get(), text, sizeof text, 0);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "hung up";
}

inline shm::OwnedFd memory(std::uint64_t bytes, int seals, const std::function<void(std::byte*)>& fill, unsigned flags = 0) {
  shm::OwnedFd fd(memfd_create("roundhouse", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
  (void)!ftruncate(fd.get(), static_cast<off_t>(bytes));
  if (fill) {
    auto* data = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0));
    fill(data);
    munmap(data, bytes);
  }
  (void)fcntl(fd.get(), F_ADD_SEALS, seals);
  return fd;
}

inline void check_offers(const std::string& path) {
  const shm::OwnedFd event = shm::make_event();
  const auto says = [&](const shm::OwnedFd& segment) { return offer(path, segment.get(), event.get(), event.get()); };
  const shm::Layout layout = small_layout();
  const std::uint64_t bytes = layout.total_bytes();
  const auto good = [&](std::byte* data) { layout.write(data); };
  constexpr int kAll = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  CHECK_EQUAL(says(memory(bytes, 0, good)), "refused: the segment is not sealed");
  CHECK_EQUAL(says(memory(bytes, F_SEAL_SHRINK, good)), "refused: the segment is not sealed");
  CHECK_EQUAL(says(memory(bytes, F_SEAL_SHRINK | F_SEAL_GROW, good)), "refused: the segment is not sealed");
  CHECK_EQUAL(says(memory(bytes, kAll | F_SEAL_FUTURE_WRITE, good)),
              "refused: the segment is sealed against writing");
  const std::string other = "refused: the segment has another size than its header says";
  CHECK_EQUAL(says(memory(bytes + 4096, kAll, good)), other);
  CHECK_EQUAL(says(memory(bytes - 4096, kAll, [&](std::byte* data) { std::memset(data, 0, 4096); layout.write(data); })),
              other);
  CHECK_EQUAL(says(memory(0, kAll, nullptr)), "refused: the segment has a size out of the limits");
  CHECK_EQUAL(says(memory(4096, kAll, nullptr)), "refused: the segment has a size out of the limits");
  CHECK_EQUAL(says(memory(1ULL << 37, kAll, nullptr)), "refused: the segment has a size out of the limits");
  CHECK_EQUAL(says(memory(bytes, kAll, nullptr)), "refused: the segment is none of this version");
  const shm::OwnedFd file(open("/dev/zero", O_RDWR | O_CLOEXEC));
  CHECK_EQUAL(says(file), "refused: the descriptor is no memfd");
  CHECK_EQUAL(says(event), "refused: the descriptor is no memfd");
  const shm::OwnedFd whole = memory(bytes, kAll, good);
  CHECK_EQUAL(offer(path, whole.get(), file.get(), event.get()), "refused: a descriptor is no eventfd");
  CHECK_EQUAL(offer(path, whole.get(), event.get(), whole.get()), "refused: a descriptor is no eventfd");
  const shm::OwnedFd huge(memfd_create("roundhouse", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
  if (huge && ftruncate(huge.get(), 2 << 20) == 0) {
    (void)fcntl(huge.get(), F_ADD_SEALS, kAll);
    CHECK_EQUAL(says(huge), "refused: the segment is no ordinary memory");
  }
}

// Headers with every 8-byte word replaced by what no layout has.
inline void check_headers(const std::string& path) {
  const shm::OwnedFd event = shm::make_event();
  const shm::Layout layout = small_layout();
  constexpr int kAll = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    // Magic, bytes, ring, classes, and the sizes and counts of the two classes.
    for (std::size_t word = 0; word < 8; ++word) {
      const shm::OwnedFd segment = memory(layout.total_bytes(), kAll, [&](std::byte* data) {
        layout.write(data);
        std::memcpy(data + 8 * word, &bad, sizeof bad);
      });
      CHECK(offer(path, segment.get(), event.get(), event.get()).starts_with("refused: "));
    }
  }
}

inline void check_messages(const std::string& path) {
  const auto says = [&](const void* data, std::size_t size) {
    const shm::OwnedFd socket = shm::connect_to(path);
    (void)!send(socket.get(), data, size, MSG_NOSIGNAL);
    pollfd ready{socket.get(), POLLIN, 0};
    if (::poll(&ready, 1, 20'000) <= 0) return std::string("no reply");
    char text[512];
    const ssize_t read = recv(socket.get(), text, sizeof text, 0);
    return read > 0 ? std::string(text, static_cast<std::size_t>(read)) : std::string("hung up");
  };
  const std::string long_message(60'000, 'x');
  CHECK_EQUAL(says("junk", 4), "refused: no offer of this version");
  CHECK_EQUAL(says(long_message.data(), long_message.size()), "refused: no offer of this version");
  const std::uint64_t magic = 0x32306d68732d6872ULL;
  CHECK_EQUAL(says(&magic, sizeof magic), "refused: an offer has three descriptors");
  // A second offer on a socket that is a lease already.
  PlanePeer peer(path);
  CHECK_EQUAL(peer.taken, "taken");
  shm::send_offer(peer.socket.get(), peer.segment.fd(), peer.request_event.get(), peer.answer_event.get());
  CHECK(peer.comes_to_an_end());
}

}  // namespace roundhouse::test
