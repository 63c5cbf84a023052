#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "device_network.hpp"
#include "device_slice.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {

/// One instance on a GPU, with a stream and buffers of its own. Inputs in device or pinned memory are read where they lie,
/// outputs are written where the core says; only pageable memory goes through staging.
class DeviceInstance : public Instance {
 public:
  /// For batches of up to `mostRows` rows, whose memory on the GPU is taken here, so that it does not grow later.
  DeviceInstance(const Columns& columns, int device, std::shared_ptr<DeviceNetwork> network, std::size_t mostRows);
  ~DeviceInstance() override;

  void execute(backend::Batch& batch) override;

 private:
  struct Group {
    std::vector<std::size_t> members{};
    std::size_t rows = 0;
  };

  void demand(std::size_t rows);
  void run(backend::Batch& batch, std::vector<Slice>& slices);
  void runSmall(backend::Batch& batch, std::vector<Slice>& slices, std::size_t rows);
  void runLarge(backend::Batch& batch, std::vector<Slice>& slices, std::size_t rows);
  void stage(const backend::Batch& batch, const std::vector<Slice>& slices, std::size_t rows);
  static std::vector<Group> groupsOf(const backend::Batch& batch, const std::vector<Slice>& slices);
  void runTogether(const std::vector<Slice>& slices, const Group& group);
  bool runAsGraph(const Slice& slice);
  void finish(backend::Batch& batch, std::size_t index, Slice& slice);
  void answer(backend::Batch& batch, std::size_t index, Slice& slice) const;
  void upload(const Slice& slice);
  void uploadStaged(std::size_t at, const Part& part);
  void download(const Slice& slice);
  float* features(const Slice& slice);
  float* quantiles(const Slice& slice);
  float* stagedQuantiles(const Slice& slice);

  Columns columns_;
  int device_;
  std::shared_ptr<DeviceNetwork> network_;
  std::optional<device::Stream> stream_;
  /// Behind the work of each group of a batch.
  std::vector<std::unique_ptr<device::Event>> ends_;
  std::unique_ptr<DeviceNetwork::Context> context_;
  /// For the rows of a whole batch.
  device::DeviceMemory d_features_;
  device::DeviceMemory d_quantiles_;
  device::PinnedMemory stagedIn_;
  device::PinnedMemory stagedOut_;
};

}  // namespace roundhouse::delivery_time::gpu
