#include "gpu_driver.hpp"

#include <dlfcn.h>

namespace roundhouse {
namespace {

constexpr int kCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kCapabilityMinor = 76;
constexpr GpuDriver::Result kNoDevice = 100;

template <typename Function>
bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

bool find_all(void* library, GpuDriver& driver) {
  return find(library, "cuInit", driver.init) && find(library, "cuGetErrorString", driver.text) &&
         find(library, "cuDeviceGetCount", driver.device_count) && find(library, "cuDeviceGet", driver.device) &&
         find(library, "cuDeviceGetName", driver.name) && find(library, "cuDeviceGetAttribute", driver.attribute) &&
         find(library, "cuDeviceGetPCIBusId", driver.bus_id) &&
         find(library, "cuDeviceTotalMem_v2", driver.total_memory) &&
         find(library, "cuDevicePrimaryCtxGetState", driver.state) &&
         find(library, "cuDevicePrimaryCtxRetain", driver.retain) &&
         find(library, "cuCtxPushCurrent_v2", driver.push) && find(library, "cuCtxPopCurrent_v2", driver.pop) &&
         find(library, "cuMemHostRegister_v2", driver.lock) && find(library, "cuMemHostUnregister", driver.unlock) &&
         find(library, "cuMemAlloc_v2", driver.take) && find(library, "cuMemAllocHost_v2", driver.take_pinned) &&
         find(library, "cuStreamCreateWithPriority", driver.make_stream) &&
         find(library, "cuStreamQuery", driver.query) &&
         find(library, "cuMemcpyDtoHAsync_v2", driver.copy_to_host);
}

GpuDriver open_driver() {
  GpuDriver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return driver;
  if (!find_all(library, driver)) {
    driver.failure = "the GPU driver lacks a function";
    return driver;
  }
  GpuDriver::Result result = driver.init(0);
  if (result == GpuDriver::kOk) result = driver.device_count(&driver.devices);
  if (result == GpuDriver::kOk || result == kNoDevice) return driver;
  driver.devices = 0;
  driver.failure = driver.text_of(result);
  return driver;
}

GpuFacts facts_of(const GpuDriver& driver, int index) {
  GpuFacts facts;
  int device = 0;
  char text[256] = {};
  if (driver.device(&device, index) != GpuDriver::kOk) return facts;
  if (driver.name(text, sizeof text, device) == GpuDriver::kOk) facts.name = text;
  if (driver.bus_id(text, sizeof text, device) == GpuDriver::kOk) facts.bus_id = text;
  driver.attribute(&facts.capability_major, kCapabilityMajor, device);
  driver.attribute(&facts.capability_minor, kCapabilityMinor, device);
  driver.total_memory(&facts.memory_bytes, device);
  return facts;
}

}  // namespace

std::string GpuDriver::text_of(Result result) const {
  const char* found = nullptr;
  text(result, &found);
  return found != nullptr ? found : "error " + std::to_string(result);
}

const GpuDriver& gpu_driver() {
  static const GpuDriver driver = open_driver();
  return driver;
}

std::vector<GpuFacts> visible_gpus() {
  const GpuDriver& driver = gpu_driver();
  std::vector<GpuFacts> gpus;
  for (int index = 0; index < driver.devices; ++index) gpus.push_back(facts_of(driver, index));
  return gpus;
}

}  // namespace roundhouse
