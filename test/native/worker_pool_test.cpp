// The threads that share out the host's work of route calls.
#include "../../cuda/route_planner/gpu/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using namespace roundhouse;
using route_planner::gpu::sharedWorkers;
using route_planner::gpu::WorkerPool;

/// Every piece once, whoever takes it: threads that are awake, asleep, or not there.
void checkWorkers() {
  for (const int threads : {1, 2, 5}) {
    for (const int awake : {0, 200}) {
      WorkerPool workers(threads, std::chrono::microseconds(awake));
      CHECK_EQUAL(workers.threads(), threads);
      std::vector<std::atomic<int>> done(40);
      for (int round = 0; round < 300; ++round) {
        workers.run(round % 40 + 1, [&](int piece) { ++done[static_cast<std::size_t>(piece)]; });
      }
      workers.run(0, [&](int) { ++done[0]; });
      // Rounds 0 to 279 are 7 times each of 1 to 40 pieces, 280 to 299 once each of 1 to 20: piece p (from 0) is of the
      // counts above p, 40 − p of 40 and, up to p = 19, 20 − p of 20.
      for (int piece = 0; piece < 40; ++piece) {
        CHECK_EQUAL(done[static_cast<std::size_t>(piece)].load(), 7 * (40 - piece) + std::max(0, 20 - piece));
      }
    }
  }
}

/// Callers at once: one of them has the helpers, the others work alone.
void checkCallersAtOnce() {
  WorkerPool workers(3);
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) workers.run(10, [&](int) { ++done; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  // 4 callers · 200 rounds · 10 pieces.
  CHECK_EQUAL(done.load(), 8000);
  CHECK(&sharedWorkers() == &sharedWorkers());
}

}  // namespace

int main() {
  checkWorkers();
  checkCallersAtOnce();
  return test::finish();
}
