#include "device_slice.hpp"

#include "rows_of.hpp"
#include "triton_error.hpp"

namespace roundhouse::delivery_time::gpu {

using namespace backend;

Slice readSlice(TRITONBACKEND_Request* request, const Columns& columns, int device) {
  TRITONBACKEND_Input* input = nullptr;
  if (OwnedError missing{TRITONBACKEND_RequestInput(request, "features", &input)}) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' is missing");
  }
  TRITONSERVER_DataType type;
  const std::int64_t* shape = nullptr;
  std::uint32_t dimensions = 0, buffers = 0;
  std::uint64_t bytes = 0;
  check(TRITONBACKEND_InputProperties(input, nullptr, &type, &shape, &dimensions, &bytes, &buffers));
  if (type != TRITONSERVER_TYPE_FP32) {
    throw Error(ErrorCode::payloadInvalid, std::string("tensor 'features' is ") + TRITONSERVER_DataTypeString(type) +
                                               ", not FP32");
  }
  Slice slice;
  slice.device = device;
  std::uint64_t found = 0;
  for (std::uint32_t index = 0; index < buffers; ++index) {
    Part part;
    part.device = device;
    check(TRITONBACKEND_InputBuffer(input, index, &part.start, &part.bytes, &part.memory, &part.device));
    found += part.bytes;
    if (part.bytes > 0) slice.parts.push_back(part);
  }
  slice.rows = rowsOf({shape, dimensions}, bytes / sizeof(float), columns.features);
  if (found != bytes || bytes % sizeof(float) != 0) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' is no whole number of FP32");
  }
  if (slice.parts.empty()) throw Error(ErrorCode::payloadInvalid, "tensor 'features' has no rows");
  return slice;
}

void placeReply(TRITONBACKEND_Request* request, Slice& slice, const Columns& columns, int device) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(slice.rows), static_cast<std::int64_t>(columns.quantiles)};
  auto reply = std::make_unique<Reply>(request);
  slice.place = reply->placeOf("quantiles", TRITONSERVER_TYPE_FP32, shape,
                               slice.inDeviceMemory() ? TRITONSERVER_MEMORY_GPU : TRITONSERVER_MEMORY_CPU_PINNED, device);
  slice.reply = std::move(reply);
}

}  // namespace roundhouse::delivery_time::gpu
