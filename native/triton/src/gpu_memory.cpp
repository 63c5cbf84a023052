#include "gpu_memory.hpp"

#include <dlfcn.h>

namespace roundhouse {
namespace {

using ReadUses = std::int32_t (*)(GpuMemoryUse* uses, std::int32_t most);

constexpr std::int32_t kMostGpus = 64;

// The library is there once a backend of the folder has loaded it; it isn't loaded for this question. Found once, it stays.
ReadUses find_reader(const std::string& backend_directory) {
  const std::string path = backend_directory + "/libroundhouse_sharing.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<ReadUses>(dlsym(library, "roundhouse_gpu_memory"));
}

}  // namespace

std::vector<GpuMemoryUse> gpu_memory_uses(const std::string& backend_directory) {
  const ReadUses read = find_reader(backend_directory);
  if (read == nullptr) return {};
  std::vector<GpuMemoryUse> uses(kMostGpus);
  const std::int32_t count = read(uses.data(), kMostGpus);
  uses.resize(static_cast<std::size_t>(count < kMostGpus ? count : kMostGpus));
  return uses;
}

}  // namespace roundhouse
