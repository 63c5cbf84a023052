// The driver of the GPUs, found at run time: nothing here is linked. Its functions by their stable names, its types opaque.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace roundhouse {

struct GpuDriver {
  using Context = void*;
  using Stream = void*;
  using Pointer = unsigned long long;
  using Result = int;
  static constexpr Result kOk = 0;
  static constexpr Result kNoMemory = 2;
  static constexpr Result kEnding = 4;  // CUDA_ERROR_DEINITIALIZED: the process is at its end
  static constexpr Result kNotReady = 600;

  Result (*init)(unsigned) = nullptr;
  Result (*text)(Result, const char**) = nullptr;
  Result (*device_count)(int*) = nullptr;
  Result (*device)(int*, int) = nullptr;
  Result (*name)(char*, int, int) = nullptr;
  Result (*attribute)(int*, int, int) = nullptr;
  Result (*bus_id)(char*, int, int) = nullptr;
  Result (*total_memory)(std::size_t*, int) = nullptr;
  Result (*state)(int, unsigned*, int*) = nullptr;
  Result (*retain)(Context*, int) = nullptr;
  Result (*push)(Context) = nullptr;
  Result (*pop)(Context*) = nullptr;
  Result (*lock)(void*, std::size_t, unsigned) = nullptr;
  Result (*unlock)(void*) = nullptr;
  Result (*take)(Pointer*, std::size_t) = nullptr;
  Result (*take_pinned)(void**, std::size_t) = nullptr;
  Result (*make_stream)(Stream*, unsigned, int) = nullptr;
  Result (*query)(Stream) = nullptr;
  Result (*copy_to_host)(void*, Pointer, std::size_t, Stream) = nullptr;

  // GPUs that this process may see, by CUDA_VISIBLE_DEVICES as it was when the driver was first used.
  int devices = 0;
  // Why there are none although there is a driver; empty where there is none.
  std::string failure;

  std::string text_of(Result result) const;

  // Calls with the context; the thread's own is untouched.
  template <typename Call>
  Result in_context(Context context, Call&& call) const {
    Result result = push(context);
    if (result != kOk) return result;
    result = call();
    Context ignored = nullptr;
    pop(&ignored);
    return result;
  }
};

// Any thread; opened and started once, at the first call.
const GpuDriver& gpu_driver();

struct GpuFacts {
  std::string name;
  std::string bus_id;  // 0000:17:00.0
  int capability_major = 0;
  int capability_minor = 0;
  std::size_t memory_bytes = 0;
};

// In the driver's order.
std::vector<GpuFacts> visible_gpus();

}  // namespace roundhouse
