#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace roundhouse::packing {

/// Threads that share loops whose turns don't depend on one another. They wait busily for the next loop, so a crew is for
/// some ten milliseconds of loops in a row, on a machine that has the cores.
class Crew {
 public:
  /// The caller is one of `threads`.
  explicit Crew(int threads) {
    for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
  }
  ~Crew() {
    isOver_.store(true, std::memory_order_release);
    for (std::thread& helper : helpers_) helper.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// work(from, to) for ranges that make up 0 … count − 1, in any order and at once. Must not throw.
  template <typename Work>
  void each(int32_t count, Work&& work) {
    if (helpers_.empty()) return work(0, count);
    count_ = count;
    argument_ = &work;
    call_ = [](void* argument, int32_t from, int32_t to) { (*static_cast<Work*>(argument))(from, to); };
    next_.store(0, std::memory_order_relaxed);
    left_.store(static_cast<int>(helpers_.size()), std::memory_order_relaxed);
    turn_.fetch_add(1, std::memory_order_release);
    takeAll();
    while (left_.load(std::memory_order_acquire) > 0) pause();
  }

 private:
  static constexpr int32_t kAtOnce = 16;
  /// A helper that waited for so many pauses gives its core to others now and then.
  static constexpr int kPatience = 2'000;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
  }

  void takeAll() {
    for (;;) {
      const int32_t from = next_.fetch_add(kAtOnce, std::memory_order_relaxed);
      if (from >= count_) return;
      call_(argument_, from, from + kAtOnce < count_ ? from + kAtOnce : count_);
    }
  }

  void help() {
    for (uint64_t seen = 0;; ++seen) {
      for (int waited = 0; turn_.load(std::memory_order_acquire) == seen; ++waited) {
        if (isOver_.load(std::memory_order_acquire)) return;
        if (waited > kPatience) std::this_thread::yield();
        else pause();
      }
      takeAll();
      left_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::vector<std::thread> helpers_;
  std::atomic<uint64_t> turn_{0};
  std::atomic<int32_t> next_{0};
  std::atomic<int> left_{0};
  std::atomic<bool> isOver_{false};
  int32_t count_ = 0;
  void* argument_ = nullptr;
  void (*call_)(void*, int32_t, int32_t) = nullptr;
};

}  // namespace roundhouse::packing
