// Peers that write what they like to the rings of their session: counters, lengths, bells.
#pragma once

#include <chrono>
#include <cstring>
#include <functional>
#include <string>

#include "check.hpp"
#include "live_engine.hpp"
#include "neighbour.hpp"
#include "plane_peer.hpp"

namespace roundhouse::test {

// The end of a session that does this.
inline bool ends_by(const std::string& path, const std::function<void(PlanePeer&)>& misdeed) {
  PlanePeer peer(path);
  CHECK_EQUAL(peer.taken, "taken");
  CHECK_EQUAL(round_trip(peer, 1, 5'000), "");
  misdeed(peer);
  peer.ring_bell();
  return peer.comes_to_an_end();
}

inline void check_rings(const std::string& path) {
  CHECK(ends_by(path, [](PlanePeer& peer) { peer.request_control().head.fetch_add(1ULL << 40); }));
  CHECK(ends_by(path, [](PlanePeer& peer) { peer.request_control().head.fetch_sub(8); }));
  CHECK(ends_by(path, [](PlanePeer& peer) { peer.request_control().head.fetch_add(4); }));
  // A reader ahead of its writer is seen with the next answer.
  CHECK(ends_by(path, [](PlanePeer& peer) {
    peer.answer_control().tail.fetch_add(1ULL << 40);
    peer.send(peer.request(2, 100));
  }));
  // A length that goes round the ring, and one of 2^64 - 1.
  for (const std::uint64_t length : {std::uint64_t{1} << 17, ~std::uint64_t{0}, std::uint64_t{3} << 62}) {
    CHECK(ends_by(path, [&](PlanePeer& peer) {
      const std::uint64_t head = peer.request_control().head.load();
      std::memcpy(peer.at(shm::Layout::request_ring()) + head % peer.layout.ring_bytes(), &length, sizeof length);
      peer.request_control().head.store(head + 64);
    }));
  }
  // Bells without requests.
  CHECK(ends_by(path, [](PlanePeer& peer) {
    // Bells that come while the engine is at another one are one event: as many as it takes, for a minute at most.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!peer.is_over() && std::chrono::steady_clock::now() < end) peer.ring_bell();
  }));
}

}  // namespace roundhouse::test
