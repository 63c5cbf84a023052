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
  /// `wholeCopies`: rows in host memory are copied before they are computed, however many; false: many of them in pieces,
  /// side by side.
  DeviceInstance(const Columns& columns, int device, std::shared_ptr<DeviceNetwork> network, std::size_t mostRows,
                 bool wholeCopies);
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
  cudaStream_t runTogether(const std::vector<Slice>& slices, const Group& group);
  cudaStream_t runInPieces(const Slice& slice);
  bool runAsGraph(const Slice& slice);
  void step(cudaStream_t before, cudaStream_t behind) const;
  void finish(backend::Batch& batch, std::size_t index, Slice& slice);
  void answer(backend::Batch& batch, std::size_t index, Slice& slice) const;
  void upload(const Slice& slice);
  void uploadBytes(std::size_t at, const Part& part, cudaStream_t stream);
  void download(const Slice& slice, std::size_t first, std::size_t rows, cudaStream_t stream);
  float* features(const Slice& slice);
  float* quantiles(const Slice& slice);
  float* stagedQuantiles(const Slice& slice);

  Columns columns_;
  int device_;
  std::shared_ptr<DeviceNetwork> network_;
  bool wholeCopies_;
  std::optional<device::Stream> stream_;
  /// For the copies of requests that run in pieces.
  std::optional<device::Stream> copyIn_;
  std::optional<device::Stream> copyOut_;
  std::optional<device::Event> handOver_;
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
