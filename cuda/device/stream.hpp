#pragma once

#include "device_fault.hpp"

namespace roundhouse::device {

/// Of the device that is current at construction.
class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "no stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }

  operator cudaStream_t() const { return stream_; }
  void wait() const { require(cudaStreamSynchronize(stream_), "the GPU failed"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream. Waiting for it on the host spins, unless `flags` has cudaEventBlockingSync.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    require(cudaEventCreateWithFlags(&event_, flags), "no event");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) const { require(cudaEventRecord(event_, stream), "an event can't be recorded"); }
  /// What `stream` gets from now on runs after this point.
  void holdUp(cudaStream_t stream) const { require(cudaStreamWaitEvent(stream, event_), "a stream can't wait"); }
  void wait() const { require(cudaEventSynchronize(event_), "the GPU failed"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Milliseconds between two events that were made with timing (flags 0) and have passed.
inline float millisecondsBetween(const Event& from, const Event& to) {
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, from, to), "no time");
  return milliseconds;
}

}  // namespace roundhouse::device
