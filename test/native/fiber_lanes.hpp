#pragma once

#include <csetjmp>
#include <cstdint>
#include <functional>
#include <vector>

#include <ucontext.h>

/**
 * 32 lanes on one CPU thread: the kernels' code for a warp runs here as it stands, each lane a fiber that stops at every
 * exchange until all have come. It shows that the code is right for a lock-step of exchanges, and that no lane misses
 * one; it says nothing about a GPU's memory order or speed.
 */
namespace roundhouse::test {

class FiberLanes {
 public:
  static constexpr int kLanes = 32;

  /// Runs `body` once a lane. Throws nothing; a lane that ends while others wait for it aborts the program.
  static void run(const std::function<void(const FiberLanes&)>& body) { current().runAll(body); }

  int lane() const { return current().lane_; }
  void sync() const { exchange<int>(0); }

  uint32_t ballot(bool holds) const {
    const uint64_t* all = exchange<uint64_t>(holds ? 1 : 0);
    uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane) bits |= static_cast<uint32_t>(all[lane]) << lane;
    return bits;
  }
  template <typename T>
  T from(int lane, T value) const {
    return static_cast<T>(exchange<T>(value)[lane & 31]);
  }
  template <typename T>
  T up(int by, T value) const {
    const uint64_t* all = exchange<T>(value);
    return static_cast<T>(all[lane() < by ? lane() : lane() - by]);
  }
  template <typename T>
  T across(int mask, T value) const {
    return static_cast<T>(exchange<T>(value)[lane() ^ mask]);
  }
  template <typename T>
  T least(T value) const {
    const uint64_t* all = exchange<T>(value);
    T result = value;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (static_cast<T>(all[lane]) < result) result = static_cast<T>(all[lane]);
    }
    return result;
  }
  uint32_t either(uint32_t bits) const {
    const uint64_t* all = exchange<uint32_t>(bits);
    uint32_t result = 0;
    for (int lane = 0; lane < kLanes; ++lane) result |= static_cast<uint32_t>(all[lane]);
    return result;
  }
  uint32_t add(uint32_t* counter, uint32_t by) const {
    const uint32_t before = *counter;
    *counter += by;
    return before;
  }
  void lower(int32_t* shared, int32_t to) const {
    if (to < *shared) *shared = to;
  }
  template <typename T>
  T now(const T* shared) const {
    return *shared;
  }
  void publish() const {}
  uint32_t same(uint32_t value) const {
    const uint64_t* all = exchange<uint32_t>(value);
    uint32_t result = 0;
    for (int lane = 0; lane < kLanes; ++lane) result |= (static_cast<uint32_t>(all[lane]) == value ? 1u : 0u) << lane;
    return result;
  }

 private:
  static constexpr size_t kStackBytes = 256 * 1024;

  struct Fiber {
    ucontext_t first;
    jmp_buf at;
    std::vector<char> stack = std::vector<char>(kStackBytes);
    bool started;
    bool ended;
  };

  static FiberLanes& current() {
    static FiberLanes lanes;
    return lanes;
  }

  /// All lanes' values; they stay until each lane has come to the exchange after the next.
  template <typename T>
  const uint64_t* exchange(T value) const {
    FiberLanes& all = current();
    const int lane = all.lane_;
    uint64_t* slots = all.slots_[all.turn_[lane]++ & 1];
    slots[lane] = static_cast<uint64_t>(value);
    all.pause();
    all.lane_ = lane;
    return slots;
  }

  void pause() {
    if (_setjmp(fibers_[lane_].at) == 0) _longjmp(main_, 1);
  }

  static void enter() {
    FiberLanes& all = current();
    (*all.body_)(all);
    all.fibers_[all.lane_].ended = true;
    _longjmp(all.main_, 1);
  }

  /// Runs one lane to its next exchange or its end.
  void resume(int lane) {
    Fiber& fiber = fibers_[lane];
    lane_ = lane;
    if (_setjmp(main_) != 0) return;
    if (fiber.started) _longjmp(fiber.at, 1);
    fiber.started = true;
    setcontext(&fiber.first);
  }

  void runAll(const std::function<void(const FiberLanes&)>& body) {
    body_ = &body;
    for (int lane = 0; lane < kLanes; ++lane) {
      Fiber& fiber = fibers_[lane];
      fiber.started = fiber.ended = false;
      turn_[lane] = 0;
      getcontext(&fiber.first);
      fiber.first.uc_stack.ss_sp = fiber.stack.data();
      fiber.first.uc_stack.ss_size = fiber.stack.size();
      fiber.first.uc_link = nullptr;
      makecontext(&fiber.first, &FiberLanes::enter, 0);
    }
    for (int ended = 0; ended < kLanes;) {
      ended = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
        resume(lane);
        ended += fibers_[lane].ended ? 1 : 0;
      }
      if (ended != 0 && ended != kLanes) __builtin_trap();
    }
  }

  Fiber fibers_[kLanes];
  jmp_buf main_;
  int lane_ = 0;
  uint32_t turn_[kLanes] = {};
  uint64_t slots_[2][kLanes] = {};
  const std::function<void(const FiberLanes&)>* body_ = nullptr;
};

}  // namespace roundhouse::test
