#include "device_instance.hpp"

#include <algorithm>
#include <cstring>

#include "device_count.hpp"
#include "request.hpp"
#include "rows_of.hpp"
#include "triton_error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

using namespace backend;

/// A request of so many rows runs alone; smaller ones are put together.
constexpr std::size_t kRowsAlone = 2'048;
/// What TensorRT reads fastest.
constexpr std::uintptr_t kAlignment = 16;

void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  device::require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "rows can't be copied");
}

bool isAligned(const void* start) { return reinterpret_cast<std::uintptr_t>(start) % kAlignment == 0; }

}  // namespace

/// Where a request's features lie: the core may hold them in several buffers.
struct DeviceInstance::Part {
  const void* start = nullptr;
  std::size_t bytes = 0;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
};

/// One request; `offset` is its first row in the batch's own buffers.
struct DeviceInstance::Slice {
  std::vector<Part> parts;
  std::size_t rows = 0;
  std::size_t offset = 0;
  std::unique_ptr<Reply> reply;
  OutputPlace place;

  bool inDeviceMemory() const { return parts.front().memory == TRITONSERVER_MEMORY_GPU; }
  bool inHostMemory() const {
    return std::none_of(parts.begin(), parts.end(),
                        [](const Part& part) { return part.memory == TRITONSERVER_MEMORY_GPU; });
  }
  /// Its features can be read where they lie, by a call that runs nothing else.
  bool isReadable() const { return parts.size() == 1 && inDeviceMemory() && isAligned(parts.front().start); }
  /// Its quantiles can be written where they belong, by such a call.
  bool isWritable() const { return place.memory == TRITONSERVER_MEMORY_GPU && isAligned(place.start); }
};

DeviceInstance::DeviceInstance(const Columns& columns, int device, std::shared_ptr<DeviceNetwork> network)
    : columns_(columns), device_(device), network_(std::move(network)) {
  device::useDevice(device_);
  stream_.emplace();
  context_ = network_->context();
  context_->prepareHost();
}

DeviceInstance::~DeviceInstance() { (void)cudaSetDevice(device_); }

void DeviceInstance::execute(Batch& batch) {
  device::useDevice(device_);
  std::vector<Slice> slices(batch.size());
  batch.each([&](std::size_t index) {
    if (isCancelled(batch.request(index))) {
      throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
    }
    slices[index] = read(batch.request(index));
  });
  batch.startComputing();
  std::exception_ptr broken;
  try {
    run(batch, slices);
  } catch (...) {
    broken = std::current_exception();
    // Nothing may still write to buffers that go back to their owners now.
    (void)cudaStreamSynchronize(*stream_);
  }
  batch.each([&](std::size_t index) {
    // A response that isn't sent must be gone before its request is given back.
    if (broken) slices[index].reply.reset();
    if (broken) std::rethrow_exception(broken);
    slices[index].reply->send();
    batch.succeed(index);
  });
}

DeviceInstance::Slice DeviceInstance::read(TRITONBACKEND_Request* request) const {
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
  std::uint64_t found = 0;
  for (std::uint32_t index = 0; index < buffers; ++index) {
    Part part;
    std::int64_t device = device_;
    check(TRITONBACKEND_InputBuffer(input, index, &part.start, &part.bytes, &part.memory, &device));
    found += part.bytes;
    if (part.bytes > 0) slice.parts.push_back(part);
  }
  slice.rows = rowsOf({shape, dimensions}, found == bytes ? bytes / sizeof(float) : 0, columns_.features);
  if (slice.parts.empty()) throw Error(ErrorCode::payloadInvalid, "tensor 'features' has no rows");
  return slice;
}

void DeviceInstance::run(Batch& batch, std::vector<Slice>& slices) {
  std::size_t rows = 0;
  bool hostOnly = true;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    slices[index].offset = rows;
    if (!batch.isOpen(index)) continue;
    rows += slices[index].rows;
    hostOnly = hostOnly && slices[index].inHostMemory();
  }
  batch.setRows(rows);
  if (rows == 0) return;
  if (hostOnly && rows <= context_->hostRows())
    runSmall(batch, slices, rows);
  else
    runLarge(batch, slices, rows);
}

void DeviceInstance::place(TRITONBACKEND_Request* request, Slice& slice) const {
  const std::int64_t shape[] = {static_cast<std::int64_t>(slice.rows), static_cast<std::int64_t>(columns_.quantiles)};
  auto reply = std::make_unique<Reply>(request);
  slice.place = reply->placeOf("quantiles", TRITONSERVER_TYPE_FP32, shape,
                               slice.inDeviceMemory() ? TRITONSERVER_MEMORY_GPU : TRITONSERVER_MEMORY_CPU_PINNED, device_);
  slice.reply = std::move(reply);
}

/// One graph with the copies in it; the replies are made while it runs.
void DeviceInstance::runSmall(Batch& batch, std::vector<Slice>& slices, std::size_t rows) {
  auto* to = reinterpret_cast<char*>(context_->hostFeatures());
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (!batch.isOpen(index)) continue;
    for (const Part& part : slices[index].parts) {
      std::memcpy(to, part.start, part.bytes);
      to += part.bytes;
    }
  }
  context_->enqueueHost(rows, *stream_);
  batch.each([&](std::size_t index) { place(batch.request(index), slices[index]); });
  stream_->wait();
  bool copies = false;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (!batch.isOpen(index)) continue;
    const Slice& slice = slices[index];
    const float* from = context_->hostQuantiles() + slice.offset * columns_.quantiles;
    if (slice.place.memory != TRITONSERVER_MEMORY_GPU) {
      std::memcpy(slice.place.start, from, slice.place.byteSize);
      continue;
    }
    copy(slice.place.start, from, slice.place.byteSize, *stream_);
    copies = true;
  }
  if (copies) stream_->wait();
}

/// On buffers of the instance, but for what lies in device memory and is large enough to run there.
void DeviceInstance::runLarge(Batch& batch, std::vector<Slice>& slices, std::size_t rows) {
  d_features_.demand(rows * columns_.features * sizeof(float));
  d_quantiles_.demand(rows * columns_.quantiles * sizeof(float));
  batch.each([&](std::size_t index) { place(batch.request(index), slices[index]); });
  stage(batch, slices, rows);
  for (std::size_t index = 0; index < slices.size();) index = runGroup(batch, slices, index);
  stream_->wait();
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (batch.isOpen(index) && slices[index].place.memory == TRITONSERVER_MEMORY_CPU) {
      std::memcpy(slices[index].place.start, stagedQuantiles(slices[index]), slices[index].place.byteSize);
    }
  }
}

/// Room in pinned memory for what lies in pageable memory; the driver would copy that while the host waits.
void DeviceInstance::stage(const Batch& batch, const std::vector<Slice>& slices, std::size_t rows) {
  bool in = false, out = false;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (!batch.isOpen(index)) continue;
    for (const Part& part : slices[index].parts) in = in || part.memory == TRITONSERVER_MEMORY_CPU;
    out = out || slices[index].place.memory == TRITONSERVER_MEMORY_CPU;
  }
  if (in) stagedIn_.demand(rows * columns_.features * sizeof(float));
  if (out) stagedOut_.demand(rows * columns_.quantiles * sizeof(float));
}

/// The request at `first` and those behind it that run in the same call. Returns the index behind them.
std::size_t DeviceInstance::runGroup(const Batch& batch, std::vector<Slice>& slices, std::size_t first) {
  if (!batch.isOpen(first)) return first + 1;
  std::vector<Slice*> group;
  std::size_t last = first, rows = 0;
  for (; last < slices.size(); ++last) {
    if (!batch.isOpen(last)) continue;
    const bool apart = slices[first].rows >= kRowsAlone || slices[last].rows >= kRowsAlone;
    if (last > first && apart) break;
    group.push_back(&slices[last]);
    rows += slices[last].rows;
  }
  runTogether(group, rows);
  return last;
}

void DeviceInstance::runTogether(const std::vector<Slice*>& group, std::size_t rows) {
  const Slice& slice = *group.front();
  const bool alone = group.size() == 1;
  const bool reads = alone && slice.isReadable(), writes = alone && slice.isWritable();
  if (!reads) {
    for (const Slice* each : group) upload(*each);
  }
  const auto* from = reads ? static_cast<const float*>(slice.parts.front().start) : features(slice);
  auto* to = writes ? static_cast<float*>(slice.place.start) : quantiles(slice);
  context_->enqueue(from, rows, to, *stream_);
  if (writes) return;
  for (const Slice* each : group) download(*each);
}

float* DeviceInstance::features(const Slice& slice) { return d_features_.as<float>() + slice.offset * columns_.features; }
float* DeviceInstance::quantiles(const Slice& slice) {
  return d_quantiles_.as<float>() + slice.offset * columns_.quantiles;
}
float* DeviceInstance::stagedQuantiles(const Slice& slice) {
  return stagedOut_.as<float>() + slice.offset * columns_.quantiles;
}

void DeviceInstance::upload(const Slice& slice) {
  std::size_t at = slice.offset * columns_.features * sizeof(float);
  for (const Part& part : slice.parts) {
    const void* from = part.start;
    if (part.memory == TRITONSERVER_MEMORY_CPU) from = std::memcpy(stagedIn_.as<char>() + at, part.start, part.bytes);
    copy(d_features_.as<char>() + at, from, part.bytes, *stream_);
    at += part.bytes;
  }
}

void DeviceInstance::download(const Slice& slice) {
  void* to = slice.place.memory == TRITONSERVER_MEMORY_CPU ? stagedQuantiles(slice) : slice.place.start;
  copy(to, quantiles(slice), slice.place.byteSize, *stream_);
}

}  // namespace roundhouse::delivery_time::gpu
