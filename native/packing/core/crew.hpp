#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace roundhouse::packing {

/// Threads that share loops whose turns don't depend on one another. They wait busily for the next loop, so a crew is for
/// some ten milliseconds of loops in a row, on a machine that has the cores. One that is late is not waited for.
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
    const int32_t chunks = (count + kAtOnce - 1) / kAtOnce;
    if (helpers_.empty() || chunks < 2 || chunks > kMostChunks) return work(0, count);
    count_ = count;
    argument_ = &work;
    call_ = [](void* argument, int32_t from, int32_t to) { (*static_cast<Work*>(argument))(from, to); };
    done_.store(0, std::memory_order_relaxed);
    const uint64_t turn = (state_.load(std::memory_order_relaxed) >> kTurnShift) + 1;
    state_.store(turn << kTurnShift | static_cast<uint64_t>(chunks) << kChunkBits, std::memory_order_release);
    takeChunks();
    for (int waited = 0; done_.load(std::memory_order_acquire) < chunks; ++waited) pause(waited);
  }

 private:
  static constexpr int32_t kAtOnce = 16;
  static constexpr int kChunkBits = 16;
  static constexpr int kTurnShift = 2 * kChunkBits;
  static constexpr int32_t kMostChunks = (1 << kChunkBits) - 1;
  /// Whoever waited for so many pauses gives its core to others.
  static constexpr int kPatience = 500;

  static void pause(int waited) {
#if defined(__x86_64__)
    if (waited < kPatience) return __builtin_ia32_pause();
#endif
    std::this_thread::yield();
  }

  /// What a chunk is about is read once it is taken: the loop is not over before the chunk is done.
  void takeChunks() {
    constexpr uint64_t kMask = (uint64_t{1} << kChunkBits) - 1;
    uint64_t state = state_.load(std::memory_order_acquire);
    for (;;) {
      const auto chunk = static_cast<int32_t>(state & kMask);
      if (chunk >= static_cast<int32_t>(state >> kChunkBits & kMask)) return;
      if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) continue;
      const int32_t from = chunk * kAtOnce;
      call_(argument_, from, from + kAtOnce < count_ ? from + kAtOnce : count_);
      done_.fetch_add(1, std::memory_order_release);
      ++state;
    }
  }

  void help() {
    for (uint64_t seen = 0;;) {
      uint64_t turn = seen;
      for (int waited = 0; turn == seen; ++waited) {
        if (isOver_.load(std::memory_order_acquire)) return;
        pause(waited);
        turn = state_.load(std::memory_order_acquire) >> kTurnShift;
      }
      seen = turn;
      takeChunks();
    }
  }

  std::vector<std::thread> helpers_;
  /// The number of the loop, its chunks, and the next of them.
  std::atomic<uint64_t> state_{0};
  std::atomic<int32_t> done_{0};
  std::atomic<bool> isOver_{false};
  int32_t count_ = 0;
  void* argument_ = nullptr;
  void (*call_)(void*, int32_t, int32_t) = nullptr;
};

}  // namespace roundhouse::packing
