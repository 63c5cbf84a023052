#pragma once

#include <atomic>
#include <random>
#include <thread>

#include "plane_peer.hpp"

namespace roundhouse::test {

// A good session that works all the time, in a thread of its own.
class Neighbour {
 public:
  explicit Neighbour(const std::string& path) : peer_(path) {
    thread_ = std::thread([this] {
      std::mt19937 random(1);
      while (!done_) {
        const std::string fault = round_trip(peer_, ++trips_, random() % 60'000);
        if (!fault.empty()) {
          fault_ = fault;
          return;
        }
      }
    });
  }
  std::uint64_t trips() const { return trips_; }
  std::string finish() {
    done_ = true;
    thread_.join();
    return fault_;
  }

 private:
  PlanePeer peer_;
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> trips_{0};
  std::string fault_;
  std::thread thread_;
};

}  // namespace roundhouse::test
