#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace roundhouse::route_planner::gpu {

/// Threads that wait between pieces of work: starting them anew for each chunk takes longer than packing it.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  int threads() const { return static_cast<int>(others_.size()) + 1; }
  /// work(0) … work(count − 1), at most `threads` of them; the first on the caller's thread. `work` throws nothing, and
  /// one thread calls at a time.
  void run(int count, const std::function<void(int)>& work);

 private:
  void serve(int number);

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  const std::function<void(int)>* work_ = nullptr;
  std::size_t turn_ = 0;
  int count_ = 0;
  int open_ = 0;
  bool over_ = false;
  std::vector<std::thread> others_;
};

}  // namespace roundhouse::route_planner::gpu
