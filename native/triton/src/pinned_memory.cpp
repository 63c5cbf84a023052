#include "pinned_memory.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <cstdint>

namespace roundhouse {
namespace {

// The driver's API by its stable names; its types are opaque here.
using Context = void*;
using Result = int;
constexpr unsigned kForEveryContext = 1;  // CU_MEMHOSTREGISTER_PORTABLE

struct Driver {
  Result (*init)(unsigned) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device)(int*, int) = nullptr;
  Result (*retain)(Context*, int) = nullptr;
  Result (*push)(Context) = nullptr;
  Result (*pop)(Context*) = nullptr;
  Result (*lock)(void*, std::size_t, unsigned) = nullptr;
  Result (*unlock)(void*) = nullptr;
  Result (*text)(Result, const char**) = nullptr;
  // Of the first GPU, kept as long as the process lives. None: there is no GPU, or `failure` says what went wrong.
  Context context = nullptr;
  std::string failure;
};

std::string text_of(const Driver& driver, Result result) {
  const char* text = nullptr;
  driver.text(result, &text);
  return text != nullptr ? text : "error " + std::to_string(result);
}

template <typename Function>
bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

bool find_all(void* library, Driver& driver) {
  return find(library, "cuInit", driver.init) && find(library, "cuDeviceGetCount", driver.device_count) &&
         find(library, "cuDeviceGet", driver.device) && find(library, "cuDevicePrimaryCtxRetain", driver.retain) &&
         find(library, "cuCtxPushCurrent_v2", driver.push) && find(library, "cuCtxPopCurrent_v2", driver.pop) &&
         find(library, "cuMemHostRegister_v2", driver.lock) && find(library, "cuMemHostUnregister", driver.unlock) &&
         find(library, "cuGetErrorString", driver.text);
}

Driver open_driver() {
  Driver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return driver;
  if (!find_all(library, driver)) {
    driver.failure = "the GPU driver lacks a function";
    return driver;
  }
  int devices = 0;
  int device = 0;
  if (driver.init(0) != 0 || driver.device_count(&devices) != 0 || devices == 0) return driver;
  Result result = driver.device(&device, 0);
  if (result == 0) result = driver.retain(&driver.context, device);
  if (result != 0) driver.failure = "the GPU has no context: " + text_of(driver, result);
  return driver;
}

const Driver& driver() {
  static const Driver found = open_driver();
  return found;
}

// Calls with the context of the GPU; the thread's own is untouched.
template <typename Call>
Result in_context(const Driver& gpu, Call&& call) {
  Result result = gpu.push(gpu.context);
  if (result != 0) return result;
  result = call();
  Context ignored = nullptr;
  gpu.pop(&ignored);
  return result;
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
  const Driver& gpu = driver();
  if (!gpu.failure.empty()) return told(gpu.failure);
  if (gpu.context == nullptr) return;
  if (!take_bytes(bytes_)) return told("more than " + std::to_string(kMostBytes) + " bytes would be locked");
  const Result result = in_context(gpu, [&] { return gpu.lock(start_, bytes_, kForEveryContext); });
  if (result != 0) {
    locked_bytes.fetch_sub(bytes_);
    return told(text_of(gpu, result));
  }
  locked_.store(true, std::memory_order_release);
  told("");
}

PinnedMemory::~PinnedMemory() {
  thread_.join();
  if (!locked_.load()) return;
  // A GPU that is lost refuses this too; the memory goes with its mapping then.
  const Driver& gpu = driver();
  in_context(gpu, [&] { return gpu.unlock(start_); });
  locked_bytes.fetch_sub(bytes_);
}

bool PinnedMemory::holds(const void* at, std::size_t bytes) const {
  if (!locked_.load(std::memory_order_acquire)) return false;
  const auto* first = static_cast<const std::byte*>(at);
  return first >= start_ && first <= start_ + bytes_ && bytes <= static_cast<std::size_t>(start_ + bytes_ - first);
}

}  // namespace roundhouse
