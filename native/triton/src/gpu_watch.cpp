#include "gpu_watch.hpp"

#include <pthread.h>
#include <signal.h>

namespace roundhouse {
namespace {

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

GpuWatch::GpuWatch(std::chrono::milliseconds every, std::function<void(const std::string&)> broken)
    : every_(every), broken_(std::move(broken)) {
  threads_.emplace_back([this] { watch(check_contexts); });
  threads_.emplace_back([this] { watch(check_presence); });
}

GpuWatch::~GpuWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void GpuWatch::watch(const std::function<std::unique_ptr<GpuCheck>()>& make) {
  block_signals();
  const std::unique_ptr<GpuCheck> check = make();
  while (check != nullptr && rest()) {
    const std::string fault = check->fault();
    if (!fault.empty()) return broken_(fault);
  }
}

bool GpuWatch::rest() {
  std::unique_lock lock(mutex_);
  return !ended_.wait_for(lock, every_, [this] { return ending_; });
}

}  // namespace roundhouse
