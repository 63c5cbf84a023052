#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace roundhouse::route_planner::gpu {

/// Threads that share out pieces of work with the caller. A thread that wakes late finds nothing left, so it costs nothing;
/// between pieces they stay awake for a while, since a virtual core that sleeps takes longer to wake than a piece takes.
class WorkerPool {
 public:
  explicit WorkerPool(int threads, std::chrono::microseconds awake = std::chrono::microseconds(400));
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  int threads() const { return static_cast<int>(others_.size()) + 1; }
  /// work(0) … work(count − 1), each once, on any of the threads; up to 65,535 pieces. `work` throws nothing. Any thread: who
  /// calls while another does works alone.
  void run(int count, const std::function<void(int)>& work);

 private:
  void serve();
  /// False where no piece is left.
  bool takePiece();
  /// False when it is over.
  bool waitForWork(std::uint32_t& seen);
  std::uint32_t turn() const { return static_cast<std::uint32_t>(state_.load(std::memory_order_acquire) >> 32); }

  void shareOut(int count, const std::function<void(int)>& work);

  std::chrono::microseconds awake_;
  std::mutex caller_;
  /// The turn, its number of pieces and the next of them, in 32, 16 and 16 bits: who takes a piece takes it of that turn.
  std::atomic<std::uint64_t> state_{0};
  std::atomic<const std::function<void(int)>*> work_{nullptr};
  /// Pieces that are not done.
  std::atomic<int> open_{0};
  std::mutex mutex_;
  std::condition_variable begun_;
  std::atomic<int> asleep_{0};
  std::atomic<bool> over_{false};
  std::vector<std::thread> others_;
};

/// Those of all planners of a process, for the host's part of a call: a quarter of the machine's threads, up to 4 with the
/// caller, since they stay awake. Planners take turns as a rule, and so find them awake.
WorkerPool& sharedWorkers();

}  // namespace roundhouse::route_planner::gpu
