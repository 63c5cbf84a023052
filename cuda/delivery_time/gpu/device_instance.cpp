#include "device_instance.hpp"

#include <algorithm>
#include <cstring>

#include "device_count.hpp"
#include "request.hpp"
#include "triton_error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

using namespace backend;

/// A request of so many rows runs alone; smaller ones are put together.
constexpr std::size_t kRowsAlone = 2'048;
/// Pageable memory is copied to the GPU while the next so many bytes are staged.
constexpr std::size_t kStagedAtOnce = std::size_t{1} << 20;

void copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  device::require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "rows can't be copied");
}

}  // namespace

DeviceInstance::DeviceInstance(const Columns& columns, int device, std::shared_ptr<DeviceNetwork> network,
                               std::size_t mostRows)
    : columns_(columns), device_(device), network_(std::move(network)) {
  device::useDevice(device_);
  stream_.emplace();
  context_ = network_->context();
  context_->prepare();
  demand(mostRows);
}

void DeviceInstance::demand(std::size_t rows) {
  d_features_.demand(rows * columns_.features * sizeof(float));
  d_quantiles_.demand(rows * columns_.quantiles * sizeof(float));
}

DeviceInstance::~DeviceInstance() { (void)cudaSetDevice(device_); }

void DeviceInstance::execute(Batch& batch) {
  std::vector<Slice> slices(batch.size());
  batch.each([&](std::size_t index) {
    if (isCancelled(batch.request(index))) {
      throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
    }
    slices[index] = readSlice(batch.request(index), columns_, device_);
  });
  batch.startComputing();
  try {
    // Here, so that a broken GPU answers as one: a GPU's memory isn't touched before.
    device::useDevice(device_);
    run(batch, slices);
  } catch (...) {
    const std::exception_ptr broken = std::current_exception();
    // Nothing may still write to buffers that go back to their owners now.
    (void)cudaStreamSynchronize(*stream_);
    batch.each([&](std::size_t index) {
      // A response that isn't sent must be gone before its request is given back.
      slices[index].reply.reset();
      std::rethrow_exception(broken);
    });
  }
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
  batch.each([&](std::size_t index) { placeReply(batch.request(index), slices[index], columns_, device_); });
  stream_->wait();
  batch.each([&](std::size_t index) {
    Slice& slice = slices[index];
    const float* from = context_->hostQuantiles() + slice.offset * columns_.quantiles;
    if (slice.place.memory == TRITONSERVER_MEMORY_GPU) {
      copy(slice.place.start, from, slice.place.byteSize, *stream_);
      stream_->wait();
    } else {
      std::memcpy(slice.place.start, from, slice.place.byteSize);
    }
    answer(batch, index, slice);
  });
}

/// On buffers of the instance, but for what lies in device memory and is large enough to run there. Who is done is answered
/// while the others still run: else all of a batch would send their next requests at once, and again make one batch.
void DeviceInstance::runLarge(Batch& batch, std::vector<Slice>& slices, std::size_t rows) {
  demand(rows);
  batch.each([&](std::size_t index) { placeReply(batch.request(index), slices[index], columns_, device_); });
  stage(batch, slices, rows);
  const std::vector<Group> groups = groupsOf(batch, slices);
  while (ends_.size() < groups.size()) ends_.push_back(std::make_unique<device::Event>());
  for (std::size_t at = 0; at < groups.size(); ++at) {
    runTogether(slices, groups[at]);
    if (groups.size() > 1) ends_[at]->record(*stream_);
  }
  for (std::size_t at = 0; at < groups.size(); ++at) {
    if (groups.size() > 1)
      ends_[at]->wait();
    else
      stream_->wait();
    for (const std::size_t index : groups[at].members) finish(batch, index, slices[index]);
  }
}

void DeviceInstance::finish(Batch& batch, std::size_t index, Slice& slice) {
  if (slice.place.memory == TRITONSERVER_MEMORY_CPU) {
    std::memcpy(slice.place.start, stagedQuantiles(slice), slice.place.byteSize);
  }
  if (TRITONSERVER_Error* failed = guarded([&] { answer(batch, index, slice); })) batch.fail(index, failed);
}

/// Throws with the reply gone.
void DeviceInstance::answer(Batch& batch, std::size_t index, Slice& slice) const {
  const auto reply = std::move(slice.reply);
  reply->send();
  batch.succeed(index);
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

/// Requests that run in one call: a large one alone, small ones that follow each other together.
std::vector<DeviceInstance::Group> DeviceInstance::groupsOf(const Batch& batch, const std::vector<Slice>& slices) {
  std::vector<Group> groups;
  bool last = false;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (!batch.isOpen(index)) continue;
    const bool large = slices[index].rows >= kRowsAlone;
    if (groups.empty() || large || last) groups.emplace_back();
    last = large;
    groups.back().members.push_back(index);
    groups.back().rows += slices[index].rows;
  }
  return groups;
}

void DeviceInstance::runTogether(const std::vector<Slice>& slices, const Group& group) {
  const Slice& slice = slices[group.members.front()];
  const bool alone = group.members.size() == 1;
  const bool reads = alone && slice.isReadable(), writes = alone && slice.isWritable();
  if (alone && slice.isLocal() && group.rows <= context_->callRows() && runAsGraph(slice)) return;
  if (!reads) {
    for (const std::size_t index : group.members) upload(slices[index]);
  }
  const auto* from = reads ? static_cast<const float*>(slice.parts.front().start) : features(slice);
  auto* to = writes ? static_cast<float*>(slice.place.start) : quantiles(slice);
  context_->enqueue(from, group.rows, to, *stream_);
  if (!writes) {
    for (const std::size_t index : group.members) download(slices[index]);
  }
}

/// False, with nothing enqueued, where it has to go another way.
bool DeviceInstance::runAsGraph(const Slice& slice) {
  const Part& part = slice.parts.front();
  void* from = const_cast<void*>(part.start);
  if (part.memory == TRITONSERVER_MEMORY_CPU) {
    from = std::memcpy(stagedIn_.as<char>() + slice.offset * columns_.features * sizeof(float), part.start, part.bytes);
  }
  void* const to = slice.place.memory == TRITONSERVER_MEMORY_CPU ? stagedQuantiles(slice) : slice.place.start;
  return context_->enqueueCall({from, part.memory == TRITONSERVER_MEMORY_GPU}, slice.rows,
                               {to, slice.place.memory == TRITONSERVER_MEMORY_GPU}, *stream_);
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
    if (part.memory == TRITONSERVER_MEMORY_CPU)
      uploadStaged(at, part);
    else
      copy(d_features_.as<char>() + at, part.start, part.bytes, *stream_);
    at += part.bytes;
  }
}

void DeviceInstance::uploadStaged(std::size_t at, const Part& part) {
  for (std::size_t done = 0; done < part.bytes; done += kStagedAtOnce) {
    const std::size_t bytes = std::min(kStagedAtOnce, part.bytes - done);
    const void* staged = std::memcpy(stagedIn_.as<char>() + at + done, static_cast<const char*>(part.start) + done, bytes);
    copy(d_features_.as<char>() + at + done, staged, bytes, *stream_);
  }
}

void DeviceInstance::download(const Slice& slice) {
  auto* to = slice.place.memory == TRITONSERVER_MEMORY_CPU ? stagedQuantiles(slice) : static_cast<float*>(slice.place.start);
  copy(to, quantiles(slice), slice.rows * columns_.quantiles * sizeof(float), *stream_);
}

}  // namespace roundhouse::delivery_time::gpu
