#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "triton_backend_api.hpp"

namespace roundhouse::backend {

/// One input of a request in contiguous CPU memory. The bytes belong to the request, or to this value
/// where the core held them in several buffers.
class InputTensor {
 public:
  /// Throws Error naming the tensor where it is missing or has another type.
  InputTensor(TRITONBACKEND_Request* request, const char* name, TRITONSERVER_DataType datatype);

  std::span<const std::int64_t> shape() const { return shape_; }
  /// The bytes lie in page-locked memory, says the core: a GPU reads them without staging.
  bool isPinned() const { return pinned_; }

  template <typename T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  void gather(TRITONBACKEND_Input* input, std::uint32_t bufferCount, std::uint64_t byteSize, const char* name);
  const void* buffer(TRITONBACKEND_Input* input, std::uint32_t index, const char* name, std::uint64_t& size,
                     TRITONSERVER_MemoryType& memory);

  std::span<const std::int64_t> shape_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> gathered_;
  bool pinned_ = false;
};

/// Memory of an output: of any alignment, page-locked where the caller's allocator says so.
struct OutputMemory {
  std::span<std::uint8_t> bytes;
  bool pinned = false;
};

/// Memory of an output wherever the caller's allocator put it.
struct OutputPlace {
  void* start = nullptr;
  std::size_t byteSize = 0;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  /// Where `memory` is a GPU's: which one's.
  std::int64_t device = 0;
};

/// Has the caller given up? Polled during long work.
bool isCancelled(TRITONBACKEND_Request* request);

/// A response of which each output is filled in place, then sent once.
class Reply {
 public:
  explicit Reply(TRITONBACKEND_Request* request);
  ~Reply();
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  /// Memory of the output of that shape, of any alignment, to be filled before `send`. `preferred` is where the allocator
  /// is asked to put it, on GPU `device` where that is a GPU's.
  OutputPlace placeOf(const char* name, TRITONSERVER_DataType datatype, std::span<const std::int64_t> shape,
                      TRITONSERVER_MemoryType preferred, std::int64_t device = 0);
  /// As `placeOf`, in CPU memory. Throws where the caller's allocator gives other memory.
  OutputMemory memoryOf(const char* name, TRITONSERVER_DataType datatype, std::span<const std::int64_t> shape);
  std::span<std::uint8_t> output(const char* name, TRITONSERVER_DataType datatype, std::span<const std::int64_t> shape) {
    return memoryOf(name, datatype, shape).bytes;
  }

  template <typename T>
  void write(const char* name, TRITONSERVER_DataType datatype, std::span<const std::int64_t> shape,
             std::span<const T> values) {
    const auto bytes = output(name, datatype, shape);
    if (bytes.size() != values.size_bytes())
      throw std::logic_error(std::string("output '") + name + "' has another size");
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  }

  void send();

 private:
  TRITONBACKEND_Response* response_ = nullptr;
};

/// Answers with `error`, which this function takes over. Never throws: where even that fails, it is logged.
void sendError(TRITONBACKEND_Request* request, TRITONSERVER_Error* error) noexcept;

/// Gives the request back to the core, after its response.
void release(TRITONBACKEND_Request* request) noexcept;

}  // namespace roundhouse::backend
