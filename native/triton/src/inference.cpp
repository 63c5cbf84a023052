#include "inference.hpp"

#include <cstdint>
#include <cstring>

#include "device_fault.hpp"

namespace roundhouse {

std::byte* Inference::place(std::size_t size) {
  constexpr std::uintptr_t alignment = 64;
  const auto base = reinterpret_cast<std::uintptr_t>(arena);
  const std::uintptr_t start = (base + arena_used + alignment - 1) & ~(alignment - 1);
  const std::size_t offset = start - base;
  if (arena != nullptr && offset <= arena_size && size <= arena_size - offset) {
    arena_used = offset + size;
    return arena + offset;
  }
  overflow.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  return overflow.back().get();
}

const void* Inference::aligned(const void* data, std::size_t size) {
  if (size == 0 || reinterpret_cast<std::uintptr_t>(data) % alignof(std::max_align_t) == 0) return data;
  aligned_inputs.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
  std::memcpy(aligned_inputs.back().get(), data, size);
  return aligned_inputs.back().get();
}

void Inference::fail(const char* code, std::string message, std::int64_t remaining) {
  note_device_fault(message);
  remaining_ms = remaining;
  error_code = code;
  error_message = std::move(message);
}

void Inference::read_response(const CoreApi& api, TRITONSERVER_InferenceResponse* response) noexcept {
  try {
    if (answered) fail("UNSUPPORTED", "the model sent more than one response");
    answered = true;
    read_outputs(api, response);
  } catch (const TritonFailure& failure) {
    fail(failure.code.c_str(), failure.what());
  } catch (const std::exception& error) {
    fail("INTERNAL", error.what());
  }
  if (TRITONSERVER_Error* error = api.InferenceResponseDelete(response)) api.ErrorDelete(error);
}

void Inference::read_outputs(const CoreApi& api, TRITONSERVER_InferenceResponse* response) {
  api.check(api.InferenceResponseError(response));
  const char* model = nullptr;
  std::int64_t version = 0;
  std::uint32_t count = 0;
  api.check(api.InferenceResponseModel(response, &model, &version));
  api.check(api.InferenceResponseOutputCount(response, &count));
  model_version = std::to_string(version);
  outputs.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    const void* base = nullptr;
    void* userp = nullptr;
    const std::int64_t* shape = nullptr;
    std::uint64_t dims = 0;
    std::size_t size = 0;
    std::int64_t memory_id = 0;
    TRITONSERVER_DataType type = TRITONSERVER_TYPE_INVALID;
    TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
    api.check(api.InferenceResponseOutput(response, i, &name, &type, &shape, &dims, &base, &size, &memory, &memory_id,
                                          &userp));
    outputs.push_back({name, api.DataTypeString(type), std::vector<std::int64_t>(shape, shape + dims),
                       static_cast<const std::byte*>(base), size});
  }
}

}  // namespace roundhouse
