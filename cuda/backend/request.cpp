#include "request.hpp"

#include "triton_error.hpp"

namespace roundhouse::backend {

InputTensor::InputTensor(TRITONBACKEND_Request* request, const char* name, TRITONSERVER_DataType datatype) {
  TRITONBACKEND_Input* input = nullptr;
  if (OwnedError missing{TRITONBACKEND_RequestInput(request, name, &input)}) {
    throw Error(ErrorCode::payloadInvalid, std::string("tensor '") + name + "' is missing");
  }
  TRITONSERVER_DataType found;
  const std::int64_t* shape = nullptr;
  std::uint32_t dimensions = 0, buffers = 0;
  std::uint64_t byteSize = 0;
  check(TRITONBACKEND_InputProperties(input, nullptr, &found, &shape, &dimensions, &byteSize, &buffers));
  if (found != datatype) {
    throw Error(ErrorCode::payloadInvalid, std::string("tensor '") + name + "' is " +
                                               TRITONSERVER_DataTypeString(found) + ", not " +
                                               TRITONSERVER_DataTypeString(datatype));
  }
  shape_ = {shape, dimensions};
  gather(input, buffers, byteSize, name);
}

const void* InputTensor::buffer(TRITONBACKEND_Input* input, std::uint32_t index, const char* name,
                                std::uint64_t& size, TRITONSERVER_MemoryType& memory) {
  const void* start = nullptr;
  memory = TRITONSERVER_MEMORY_CPU;
  std::int64_t memoryId = 0;
  check(TRITONBACKEND_InputBuffer(input, index, &start, &size, &memory, &memoryId));
  if (memory == TRITONSERVER_MEMORY_GPU) {
    throw Error(ErrorCode::modelFailed, std::string("tensor '") + name + "' is in GPU memory");
  }
  return start;
}

void InputTensor::gather(TRITONBACKEND_Input* input, std::uint32_t bufferCount, std::uint64_t byteSize,
                         const char* name) {
  constexpr std::uintptr_t widest = alignof(std::int64_t);
  std::uint64_t size = 0;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  const void* only = bufferCount == 1 ? buffer(input, 0, name, size, memory) : nullptr;
  if (bufferCount == 1 && size == byteSize && reinterpret_cast<std::uintptr_t>(only) % widest == 0) {
    bytes_ = {static_cast<const std::byte*>(only), byteSize};
    pinned_ = memory == TRITONSERVER_MEMORY_CPU_PINNED;
    return;
  }
  gathered_.resize(byteSize);
  std::uint64_t filled = 0;
  for (std::uint32_t index = 0; index < bufferCount; ++index) {
    const void* start = buffer(input, index, name, size, memory);
    if (size > byteSize - filled)
      throw Error(ErrorCode::payloadInvalid, std::string("tensor '") + name + "' is too long");
    if (size > 0) std::memcpy(gathered_.data() + filled, start, size);
    filled += size;
  }
  if (filled != byteSize) throw Error(ErrorCode::payloadInvalid, std::string("tensor '") + name + "' is too short");
  bytes_ = gathered_;
}

bool isCancelled(TRITONBACKEND_Request* request) {
  bool cancelled = false;
  check(TRITONBACKEND_RequestIsCancelled(request, &cancelled));
  return cancelled;
}

Reply::Reply(TRITONBACKEND_Request* request) { check(TRITONBACKEND_ResponseNew(&response_, request)); }

Reply::~Reply() {
  if (response_ != nullptr) OwnedError ignored(TRITONBACKEND_ResponseDelete(response_));
}

OutputPlace Reply::placeOf(const char* name, TRITONSERVER_DataType datatype, std::span<const std::int64_t> shape,
                           TRITONSERVER_MemoryType preferred, std::int64_t device) {
  OutputPlace place{nullptr, TRITONSERVER_DataTypeByteSize(datatype), preferred, device};
  for (const std::int64_t extent : shape) place.byteSize *= static_cast<std::size_t>(extent);
  TRITONBACKEND_Output* output = nullptr;
  check(TRITONBACKEND_ResponseOutput(response_, &output, name, datatype, shape.data(),
                                     static_cast<std::uint32_t>(shape.size())));
  check(TRITONBACKEND_OutputBuffer(output, &place.start, place.byteSize, &place.memory, &place.device));
  return place;
}

OutputMemory Reply::memoryOf(const char* name, TRITONSERVER_DataType datatype, std::span<const std::int64_t> shape) {
  const OutputPlace place = placeOf(name, datatype, shape, TRITONSERVER_MEMORY_CPU);
  if (place.memory == TRITONSERVER_MEMORY_GPU) {
    throw Error(ErrorCode::modelFailed, std::string("output '") + name + "' is in GPU memory");
  }
  return {{static_cast<std::uint8_t*>(place.start), place.byteSize}, place.memory == TRITONSERVER_MEMORY_CPU_PINNED};
}

void Reply::send() {
  TRITONBACKEND_Response* response = response_;
  response_ = nullptr;
  check(TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, nullptr));
}

void sendError(TRITONBACKEND_Request* request, TRITONSERVER_Error* error) noexcept {
  OwnedError owned(error);
  const auto failed = guarded([&] {
    TRITONBACKEND_Response* response = nullptr;
    check(TRITONBACKEND_ResponseNew(&response, request));
    check(TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, owned.get()));
  });
  if (failed != nullptr) {
    OwnedError reason(failed);
    logError(__FILE__, __LINE__, std::string("an error could not be sent: ") + TRITONSERVER_ErrorMessage(failed));
  }
}

void release(TRITONBACKEND_Request* request) noexcept {
  OwnedError failed(TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL));
  if (failed) logError(__FILE__, __LINE__, TRITONSERVER_ErrorMessage(failed.get()));
}

}  // namespace roundhouse::backend
