#include "pinned_memory.hpp"

#include <pthread.h>
#include <signal.h>

#include "gpu_driver.hpp"

namespace roundhouse {
namespace {

constexpr unsigned kForEveryContext = 1;  // CU_MEMHOSTREGISTER_PORTABLE

// The context of the first GPU, kept as long as the process lives. None: there is no GPU, or `failure` says what went
// wrong.
struct FirstContext {
  GpuDriver::Context context = nullptr;
  std::string failure = gpu_driver().failure;
};

FirstContext open_first() {
  const GpuDriver& driver = gpu_driver();
  FirstContext first;
  if (driver.devices == 0) return first;
  int device = 0;
  GpuDriver::Result result = driver.device(&device, 0);
  if (result == GpuDriver::kOk) result = driver.retain(&first.context, device);
  if (result != GpuDriver::kOk) first.failure = "the GPU has no context: " + driver.text_of(result);
  return first;
}

const FirstContext& first_context() {
  static const FirstContext first = open_first();
  return first;
}

std::atomic<std::size_t> locked_bytes{0};

bool take_bytes(std::size_t bytes) {
  if (locked_bytes.fetch_add(bytes) + bytes <= PinnedMemory::kMostBytes) return true;
  locked_bytes.fetch_sub(bytes);
  return false;
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

PinnedMemory::PinnedMemory(std::byte* start, std::size_t bytes, Told told)
    : start_(start), bytes_(bytes), thread_([this, told = std::move(told)] { lock(told); }) {}

void PinnedMemory::lock(const Told& told) {
  block_signals();
  const FirstContext& first = first_context();
  if (!first.failure.empty()) return told(first.failure);
  if (first.context == nullptr) return;
  if (!take_bytes(bytes_)) return told("more than " + std::to_string(kMostBytes) + " bytes would be locked");
  const GpuDriver& driver = gpu_driver();
  const GpuDriver::Result result =
      driver.in_context(first.context, [&] { return driver.lock(start_, bytes_, kForEveryContext); });
  if (result != GpuDriver::kOk) {
    locked_bytes.fetch_sub(bytes_);
    return told(driver.text_of(result));
  }
  locked_.store(true, std::memory_order_release);
  told("");
}

PinnedMemory::~PinnedMemory() {
  thread_.join();
  if (!locked_.load()) return;
  // A GPU that is lost refuses this too; the memory goes with its mapping then.
  const GpuDriver& driver = gpu_driver();
  driver.in_context(first_context().context, [&] { return driver.unlock(start_); });
  locked_bytes.fetch_sub(bytes_);
}

bool PinnedMemory::holds(const void* at, std::size_t bytes) const {
  if (!locked_.load(std::memory_order_acquire)) return false;
  const auto* first = static_cast<const std::byte*>(at);
  return first >= start_ && first <= start_ + bytes_ && bytes <= static_cast<std::size_t>(start_ + bytes_ - first);
}

}  // namespace roundhouse
