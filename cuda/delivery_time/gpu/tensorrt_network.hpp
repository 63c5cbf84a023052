#pragma once

#include <NvInferRuntime.h>

#include <memory>
#include <mutex>

#include "activation_arena.hpp"
#include "device_network.hpp"
#include "profiles.hpp"
#include "tensorrt_library.hpp"

namespace roundhouse::delivery_time::gpu {

/// A plan on the current GPU: one engine, so its weights are there once, for all contexts.
class TensorRtNetwork : public DeviceNetwork, public std::enable_shared_from_this<TensorRtNetwork> {
 public:
  struct Settings {
    /// For messages.
    std::string name;
    Columns columns{};
    int device = 0;
    bool graphs = true;
    bool sharedArena = true;
    /// As in DeviceNetworkOptions.
    std::size_t callGraphRows = 0;
  };

  /// Throws Error naming the file where TensorRT refuses the plan or it has other columns.
  TensorRtNetwork(TensorRt& library, const std::string& plan, const Settings& settings);

  std::unique_ptr<Context> context() override;
  std::size_t maxRows() const override { return profiles_.back(); }
  std::string description() const override { return description_; }
  void setDescription(std::string description) { description_ = std::move(description); }

  const Settings& settings() const { return settings_; }
  const Profiles& profiles() const { return profiles_; }
  TensorRt& library() const { return library_; }
  /// nullptr where contexts have memory of their own.
  ActivationArena* arena() const { return arena_.get(); }
  /// An execution with the given profile. Any thread.
  std::unique_ptr<nvinfer1::IExecutionContext> execution(std::size_t profile, cudaStream_t stream);
  /// What a call with that profile needs at most.
  std::size_t activationBytes(std::size_t profile) const;

 private:
  /// Bytes of the process's share of the GPU, for what TensorRT takes itself.
  class Share {
   public:
    /// Throws DeviceMemoryShort.
    Share(int device, std::size_t bytes);
    ~Share() { sharing::releaseMemory(device_, bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    int device_;
    std::size_t bytes_;
  };
  void readProfiles();

  TensorRt& library_;
  Settings settings_;
  /// Weights, about as large as the plan.
  Share weights_;
  std::unique_ptr<nvinfer1::ICudaEngine> engine_;
  Profiles profiles_;
  std::shared_ptr<ActivationArena> arena_;
  std::string description_;
  std::mutex mutex_;
};

constexpr const char* kInputName = "features";
constexpr const char* kOutputName = "quantiles";

}  // namespace roundhouse::delivery_time::gpu
