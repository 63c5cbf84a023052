#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device_network.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {

/// One instance on a GPU, with a stream and buffers of its own. Inputs in device or pinned memory are read where they lie,
/// outputs are written where the core says; only pageable memory goes through staging.
class DeviceInstance : public Instance {
 public:
  DeviceInstance(const Columns& columns, int device, std::shared_ptr<DeviceNetwork> network);
  ~DeviceInstance() override;

  void execute(backend::Batch& batch) override;

 private:
  struct Part;
  struct Slice;

  Slice read(TRITONBACKEND_Request* request) const;
  void place(TRITONBACKEND_Request* request, Slice& slice) const;
  void run(backend::Batch& batch, std::vector<Slice>& slices);
  void runSmall(backend::Batch& batch, std::vector<Slice>& slices, std::size_t rows);
  void runLarge(backend::Batch& batch, std::vector<Slice>& slices, std::size_t rows);
  void stage(const backend::Batch& batch, const std::vector<Slice>& slices, std::size_t rows);
  std::size_t runGroup(const backend::Batch& batch, std::vector<Slice>& slices, std::size_t first);
  void runTogether(const std::vector<Slice*>& group, std::size_t rows);
  void upload(const Slice& slice);
  void download(const Slice& slice);
  float* features(const Slice& slice);
  float* quantiles(const Slice& slice);
  float* stagedQuantiles(const Slice& slice);

  Columns columns_;
  int device_;
  std::shared_ptr<DeviceNetwork> network_;
  std::optional<device::Stream> stream_;
  std::unique_ptr<DeviceNetwork::Context> context_;
  /// For the rows of a whole batch.
  device::DeviceMemory d_features_;
  device::DeviceMemory d_quantiles_;
  device::PinnedMemory stagedIn_;
  device::PinnedMemory stagedOut_;
};

}  // namespace roundhouse::delivery_time::gpu
