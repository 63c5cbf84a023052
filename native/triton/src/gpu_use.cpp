#include "gpu_use.hpp"

#include <dlfcn.h>

#include <vector>

#include "gpu_driver.hpp"

namespace roundhouse {
namespace {

using Device = void*;
using Result = int;
constexpr Result kOk = 0;

// nvmlUtilization_t, nvmlMemory_t
struct Utilization {
  unsigned gpu = 0;  // per cent of the last sample in which a kernel ran
  unsigned memory = 0;
};
struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

struct Library {
  Result (*init)() = nullptr;
  Result (*by_bus_id)(const char*, Device*) = nullptr;
  Result (*utilization)(Device, Utilization*) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

// In the driver's order; null for one that the library does not know.
std::vector<Device> find_devices(Library& library) {
  std::vector<Device> devices;
  void* opened = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return devices;
  const bool all = find(opened, "nvmlInit_v2", library.init) &&
                   find(opened, "nvmlDeviceGetHandleByPciBusId_v2", library.by_bus_id) &&
                   find(opened, "nvmlDeviceGetUtilizationRates", library.utilization) &&
                   find(opened, "nvmlDeviceGetMemoryInfo", library.memory);
  if (!all || library.init() != kOk) return devices;
  for (const GpuFacts& gpu : visible_gpus()) {
    Device device = nullptr;
    if (library.by_bus_id(gpu.bus_id.c_str(), &device) != kOk) device = nullptr;
    devices.push_back(device);
  }
  return devices;
}

std::string use_of(const Library& library, Device device, std::size_t index) {
  Utilization utilization;
  Memory memory;
  const bool busy_known = library.utilization(device, &utilization) == kOk;
  if (library.memory(device, &memory) != kOk) memory = Memory{};
  const std::string busy = busy_known ? std::to_string(utilization.gpu / 100.0) : "-1";
  return "{\"device\":" + std::to_string(index) + ",\"utilization\":" + busy +
         ",\"usedBytes\":" + std::to_string(memory.used) + ",\"sizeBytes\":" + std::to_string(memory.total) + "}";
}

}  // namespace

std::string gpu_use_json() {
  static Library library;
  static const std::vector<Device> devices = find_devices(library);
  std::string rows;
  for (std::size_t index = 0; index < devices.size(); ++index) {
    if (devices[index] == nullptr) continue;
    if (!rows.empty()) rows += ",";
    rows += use_of(library, devices[index], index);
  }
  return "[" + rows + "]";
}

}  // namespace roundhouse
