// Notices a GPU that is broken or lost, without any request: backends tell of a fault only when they compute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace roundhouse {

// One look at all GPUs of the process. Empty: nothing is wrong, or nothing can be said yet.
class GpuCheck {
 public:
  virtual ~GpuCheck() = default;
  virtual std::string fault() = 0;
};

// In the contexts that the backends use: a copy of four bytes on a stream of its own, looked at the next time. It waits
// for no other work, and a context that a kernel has broken answers every call with the error.
std::unique_ptr<GpuCheck> check_contexts();

// By NVML, where there is one: a GPU that fell off the bus, or one that needs a reset. It knows no contexts.
std::unique_ptr<GpuCheck> check_presence();

// Each check on a thread of its own, since a call on a lost GPU may not return.
class GpuWatch {
 public:
  // `broken` gets the reason, once for each check at most, on that check's thread.
  GpuWatch(std::chrono::milliseconds every, std::function<void(const std::string&)> broken);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

 private:
  void watch(const std::function<std::unique_ptr<GpuCheck>()>& make);
  // False: the watch is at its end.
  bool rest();

  const std::chrono::milliseconds every_;
  const std::function<void(const std::string&)> broken_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace roundhouse
