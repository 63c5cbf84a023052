#pragma once

#include "../sharing/shared_gpus.hpp"
#include "stream.hpp"

namespace roundhouse::device {

/// A thread's turns in one phase of a GPU, one at a time. GPUs wait, not the host: the work of a turn runs behind that of
/// the turns before it that leave it no room (TurnLine).
class Turns {
 public:
  /// `takes` false: no turns, and nothing here costs anything.
  Turns(int device, sharing::Phase phase, bool takes) : device_(device), phase_(phase), takes_(takes) {}
  ~Turns() { passed(); }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Calls `enqueue`, which enqueues the work of a turn in `stream`. The last turn has passed.
  template <typename Enqueue>
  auto take(double demand, cudaStream_t stream, Enqueue&& enqueue) {
    if (!takes_) return enqueue();
    const Open open(*this, demand, stream);
    return enqueue();
  }

  /// The host has seen the end of the last turn's work.
  void passed() {
    if (id_ != 0) sharing::leaveLine(device_, phase_, id_);
    id_ = 0;
  }

 private:
  /// The line is locked while it lives.
  struct Open {
    Turns& turns;
    cudaStream_t stream;

    Open(Turns& own, double demand, cudaStream_t onStream) : turns(own), stream(onStream) {
      cudaEvent_t end = own.end_;
      const auto before = sharing::beginTurn(own.device_, own.phase_, demand, end, own.id_);
      // An error here is the device's; who waits for the stream sees it.
      for (void* earlier : before) (void)cudaStreamWaitEvent(stream, static_cast<cudaEvent_t>(earlier));
    }
    ~Open() {
      (void)cudaEventRecord(turns.end_, stream);
      sharing::endTurn(turns.device_, turns.phase_);
    }
  };

  int device_;
  sharing::Phase phase_;
  bool takes_;
  std::uint64_t id_ = 0;
  Event end_;
};

}  // namespace roundhouse::device
