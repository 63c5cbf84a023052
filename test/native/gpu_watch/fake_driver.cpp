// Stands in for the driver and NVML of a GPU that a test can break: what it answers is set by the functions at the end.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "fake_driver.hpp"

namespace {

using Result = int;

// For a whole engine: so many GPUs, in use from the start, and broken from when there is a file of that name.
const char* from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_broken_by_file() {
  const char* file = from_environment("FAKE_GPU_BROKEN_BY");
  return *file != '\0' && access(file, F_OK) == 0;
}

int devices = std::atoi(from_environment("FAKE_GPUS"));
std::atomic<bool> used{devices > 0};
std::atomic<Result> context_answer{0};
std::atomic<Result> presence_answer{0};
std::atomic<int> copies{0};
std::atomic<int> pushed{0};
int word = 0;

}  // namespace

extern "C" {

Result cuInit(unsigned) { return devices == 0 ? 100 : 0; }
Result cuGetErrorString(Result result, const char** text) {
  *text = result == 700 ? "an illegal memory access was encountered" : nullptr;
  return *text == nullptr ? 1 : 0;
}
Result cuDeviceGetCount(int* count) {
  *count = devices;
  return 0;
}
Result cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
Result cuDeviceGetName(char* name, int size, int device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake %d", device);
  return 0;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;
  return 0;
}
Result cuDeviceGetPCIBusId(char* text, int size, int device) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:0%d:00.0", device);
  return 0;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = 1 << 30;
  return 0;
}
Result cuDevicePrimaryCtxGetState(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = used ? 1 : 0;
  return 0;
}
Result cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &word;
  return 0;
}
Result cuCtxPushCurrent_v2(void*) {
  ++pushed;
  return 0;
}
Result cuCtxPopCurrent_v2(void**) {
  --pushed;
  return 0;
}
Result cuMemHostRegister_v2(void*, std::size_t, unsigned) { return context_answer; }
Result cuMemHostUnregister(void*) { return 0; }
Result cuMemAlloc_v2(unsigned long long* pointer, std::size_t) {
  *pointer = 1;
  return context_answer;
}
Result cuMemAllocHost_v2(void** memory, std::size_t) {
  *memory = &word;
  return context_answer;
}
Result cuStreamCreateWithPriority(void** stream, unsigned, int) {
  *stream = &word;
  return context_answer;
}
Result cuStreamQuery(void*) { return is_broken_by_file() ? 700 : context_answer.load(); }
Result cuMemcpyDtoHAsync_v2(void*, unsigned long long, std::size_t, void*) {
  ++copies;
  return context_answer;
}

Result nvmlInit_v2() { return 0; }
Result nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** handle) {
  *handle = &word;
  return std::strcmp(bus_id, "0000:00:00.0") == 0 ? 0 : 6;
}
Result nvmlDeviceGetMemoryInfo(void*, void*) { return presence_answer; }

void fake_gpus(int count) { devices = count; }
void fake_use() { used = true; }
void fake_context_answer(int result) { context_answer = result; }
void fake_presence_answer(int result) { presence_answer = result; }
int fake_copies() { return copies; }
int fake_pushed() { return pushed; }

}  // extern "C"
