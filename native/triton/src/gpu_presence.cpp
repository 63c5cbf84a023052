#include <dlfcn.h>

#include "gpu_driver.hpp"
#include "gpu_watch.hpp"

namespace roundhouse {
namespace {

using Handle = void*;
using Result = int;
constexpr Result kLost = 15;   // NVML_ERROR_GPU_IS_LOST
constexpr Result kReset = 16;  // NVML_ERROR_RESET_REQUIRED

struct Memory {  // nvmlMemory_t
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct Nvml {
  Result (*init)() = nullptr;
  Result (*by_bus_id)(const char*, Handle*) = nullptr;
  Result (*memory)(Handle, Memory*) = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

// False where there is no NVML that works; never closed.
bool open_nvml(Nvml& nvml) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && find(library, "nvmlInit_v2", nvml.init) &&
         find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.by_bus_id) &&
         find(library, "nvmlDeviceGetMemoryInfo", nvml.memory) && nvml.init() == 0;
}

class PresenceCheck : public GpuCheck {
 public:
  explicit PresenceCheck(const Nvml& nvml) : nvml_(nvml) {
    for (const GpuFacts& gpu : visible_gpus()) {
      Handle handle = nullptr;
      if (nvml.by_bus_id(gpu.bus_id.c_str(), &handle) == 0) gpus_.emplace_back(gpu.bus_id, handle);
    }
  }

  std::string fault() override {
    for (const auto& [bus_id, handle] : gpus_) {
      Memory memory{};
      const Result result = nvml_.memory(handle, &memory);
      if (result == kLost) return "the GPU at " + bus_id + " is lost";
      if (result == kReset) return "the GPU at " + bus_id + " needs a reset";
    }
    return "";
  }

 private:
  Nvml nvml_;
  std::vector<std::pair<std::string, Handle>> gpus_;
};

}  // namespace

std::unique_ptr<GpuCheck> check_presence() {
  Nvml nvml;
  if (gpu_driver().devices == 0 || !open_nvml(nvml)) return nullptr;
  return std::make_unique<PresenceCheck>(nvml);
}

}  // namespace roundhouse
