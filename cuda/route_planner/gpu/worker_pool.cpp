#include "worker_pool.hpp"

#include <algorithm>

namespace roundhouse::route_planner::gpu {
namespace {

/// Looks at the clock, or lets others run, after so many turns of an empty loop.
constexpr int kTurns = 64;

}  // namespace

WorkerPool& sharedWorkers() {
  static WorkerPool workers(std::clamp(static_cast<int>(std::thread::hardware_concurrency()) / 4, 1, 4));
  return workers;
}

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
  const bool several = count > 1 && !others_.empty();
  const std::unique_lock mine = several ? std::unique_lock(caller_, std::try_to_lock) : std::unique_lock<std::mutex>();
  if (mine.owns_lock()) return shareOut(count, work);
  for (int piece = 0; piece < count; ++piece) work(piece);
}

void WorkerPool::shareOut(int count, const std::function<void(int)>& work) {
  work_.store(&work, std::memory_order_relaxed);
  open_.store(count, std::memory_order_relaxed);
  const std::uint64_t next = std::uint64_t{turn() + 1u} << 32 | static_cast<std::uint64_t>(count) << 16;
  state_.store(next, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) > 0) {
    // Who is about to sleep has looked before, or sees the new turn.
    { const std::lock_guard lock(mutex_); }
    begun_.notify_all();
  }
  while (takePiece()) {
  }
  for (int turn = 0; open_.load(std::memory_order_acquire) > 0; ++turn) {
    __builtin_ia32_pause();
    if (turn % kTurns == kTurns - 1) std::this_thread::yield();
  }
}

/// Whose exchange succeeds has a piece of a turn that can't end before it is done, so `work_` is that turn's.
bool WorkerPool::takePiece() {
  std::uint64_t state = state_.load(std::memory_order_acquire);
  do {
    if ((state & 0xffff) == (state >> 16 & 0xffff)) return false;
  } while (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  (*work_.load(std::memory_order_relaxed))(static_cast<int>(state & 0xffff));
  open_.fetch_sub(1, std::memory_order_release);
  return true;
}

bool WorkerPool::waitForWork(std::uint32_t& seen) {
  const auto sleepAt = std::chrono::steady_clock::now() + awake_;
  const auto idle = [&] { return turn() == seen && !over_.load(std::memory_order_relaxed); };
  while (idle() && std::chrono::steady_clock::now() < sleepAt) {
    for (int turn = 0; turn < kTurns && idle(); ++turn) __builtin_ia32_pause();
  }
  if (idle()) {
    std::unique_lock lock(mutex_);
    asleep_.fetch_add(1, std::memory_order_seq_cst);
    begun_.wait(lock, [&] { return over_.load() || static_cast<std::uint32_t>(state_.load() >> 32) != seen; });
    asleep_.fetch_sub(1);
  }
  seen = turn();
  return !over_.load();
}

void WorkerPool::serve() {
  for (std::uint32_t seen = 0; waitForWork(seen);) {
    while (takePiece()) {
    }
  }
}

}  // namespace roundhouse::route_planner::gpu
