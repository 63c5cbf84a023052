#include "worker_pool.hpp"

#include <algorithm>

namespace roundhouse::route_planner::gpu {
namespace {

/// Looks at the clock, or lets others run, after so many turns of an empty loop.
constexpr int kTurns = 64;

}  // namespace

int usualThreads() { return std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 4, 1, 4); }

WorkerPool::WorkerPool(int threads, std::chrono::microseconds awake) : awake_(awake) {
  for (int number = 1; number < threads; ++number) others_.emplace_back([this] { serve(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    over_.store(true);
  }
  begun_.notify_all();
  for (std::thread& other : others_) other.join();
}

void WorkerPool::run(int count, const std::function<void(int)>& work) {
  if (count <= 1 || others_.empty()) {
    for (int piece = 0; piece < count; ++piece) work(piece);
    return;
  }
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = count;
    next_ = 0;
    open_.store(count);
    turn_.fetch_add(1, std::memory_order_release);
    wake = asleep_ > 0;
  }
  if (wake) begun_.notify_all();
  while (takePiece()) {
  }
  for (int turn = 0; open_.load(std::memory_order_acquire) > 0; ++turn) {
    __builtin_ia32_pause();
    if (turn % kTurns == kTurns - 1) std::this_thread::yield();
  }
}

bool WorkerPool::takePiece() {
  std::unique_lock lock(mutex_);
  if (next_ == count_) return false;
  const int piece = next_++;
  const auto* const work = work_;
  lock.unlock();
  (*work)(piece);
  open_.fetch_sub(1, std::memory_order_release);
  return true;
}

bool WorkerPool::waitForWork(std::uint64_t& seen) {
  const auto sleepAt = std::chrono::steady_clock::now() + awake_;
  do {
    for (int turn = 0; turn < kTurns; ++turn) {
      if (turn_.load(std::memory_order_acquire) != seen || over_.load(std::memory_order_relaxed)) break;
      __builtin_ia32_pause();
    }
  } while (turn_.load(std::memory_order_acquire) == seen && !over_.load() && std::chrono::steady_clock::now() < sleepAt);
  std::unique_lock lock(mutex_);
  ++asleep_;
  begun_.wait(lock, [&] { return over_.load() || turn_.load() != seen; });
  --asleep_;
  seen = turn_.load();
  return !over_.load();
}

void WorkerPool::serve() {
  for (std::uint64_t seen = 0; waitForWork(seen);) {
    while (takePiece()) {
    }
  }
}

}  // namespace roundhouse::route_planner::gpu
