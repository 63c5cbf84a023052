#include "worker_pool.hpp"

namespace roundhouse::route_planner::gpu {

WorkerPool::WorkerPool(int threads) {
  for (int number = 1; number < threads; ++number) others_.emplace_back([this, number] { serve(number); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  begun_.notify_all();
  for (std::thread& other : others_) other.join();
}

void WorkerPool::run(int count, const std::function<void(int)>& work) {
  if (count > 1) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    open_ = static_cast<int>(others_.size());
    ++turn_;
    begun_.notify_all();
  }
  if (count > 0) work(0);
  if (count <= 1) return;
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return open_ == 0; });
}

void WorkerPool::serve(int number) {
  for (std::size_t seen = 0;;) {
    std::unique_lock lock(mutex_);
    begun_.wait(lock, [&] { return over_ || turn_ != seen; });
    if (over_) return;
    seen = turn_;
    const auto* work = work_;
    const bool mine = number < count_;
    lock.unlock();
    if (mine) (*work)(number);
    lock.lock();
    if (--open_ == 0) ended_.notify_one();
  }
}

}  // namespace roundhouse::route_planner::gpu
