#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "network.hpp"
#include "network_settings.hpp"

namespace roundhouse::delivery_time {

struct DeviceNetworkOptions : NetworkSettings {
  /// model.onnx, or a TensorRT plan where the name ends with .plan.
  std::filesystem::path file{};
  int device = 0;
  /// The network's contract; a file with other columns is refused.
  Columns columns{};
  /// The same network on ONNX Runtime, asked during the load only; nullptr: no limit is checked.
  Network* reference = nullptr;
};

/// The delivery-time network on a GPU. One a (file, device, precision); its weights are there once.
class DeviceNetwork {
 public:
  /// What one thread needs to run it. The network outlives its contexts.
  class Context {
   public:
    virtual ~Context() = default;

    /// Enqueues the prediction of `rows` ≥ 1 rows and returns. `d_features` is [rows, features] and `d_quantiles`
    /// [rows, quantiles], FP32 in device memory, aligned to 16 bytes, left alone until `stream` has passed. Rows above
    /// the largest profile are split. A row's bits may differ with the size of the batch. Throws DeviceFault, Error.
    virtual void enqueue(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream) = 0;

    /// Rows of host memory that `enqueueHost` takes at once; 0 where it can't be used.
    virtual std::size_t hostRows() const { return 0; }
    /// Pinned memory of the context's own for `hostRows` rows.
    virtual float* hostFeatures() { return nullptr; }
    virtual const float* hostQuantiles() const { return nullptr; }
    /// Enqueues what predicts the first `rows` rows of `hostFeatures` into `hostQuantiles`, copies included, as one graph.
    virtual void enqueueHost(std::size_t /*rows*/, cudaStream_t /*stream*/) {}

    /// Rows that `enqueueCall` takes at once; 0 where it can't be used.
    virtual std::size_t callRows() const { return 0; }
    /// Where rows of a call lie: of any alignment, in memory of the GPU or page-locked.
    struct Place {
      void* start = nullptr;
      bool onDevice = false;
    };
    /// Enqueues the prediction of the `rows` rows at `from` into `to` as a graph between two copies. False, with nothing
    /// enqueued, where they are more than `callRows`.
    virtual bool enqueueCall(const Place& /*from*/, std::size_t /*rows*/, const Place& /*to*/, cudaStream_t /*stream*/) {
      return false;
    }

    /// Does what the first calls of each size would have to.
    virtual void prepare() {}
  };

  virtual ~DeviceNetwork() = default;

  /// Any thread; the device must be current (device::useDevice), there and wherever the context is used. A context
  /// belongs to one thread at a time and to one stream at a time.
  virtual std::unique_ptr<Context> context() = 0;
  /// Rows of the largest profile.
  virtual std::size_t maxRows() const = 0;
  /// For the log: library, version, GPU, precision.
  virtual std::string description() const = 0;
};

#define ROUNDHOUSE_EXPORTED __attribute__((visibility("default")))

/// Loads, or builds and keeps, the plan of a network; one that is loaded already is shared. Throws Error naming the file
/// and what is wrong or missing, DeviceFault where the GPU fails.
ROUNDHOUSE_EXPORTED std::shared_ptr<DeviceNetwork> loadDeviceNetwork(const DeviceNetworkOptions& options);

/// '' where TensorRT can be opened (`library` as in the options); else why not: then networks run on the CPU.
ROUNDHOUSE_EXPORTED std::string whyNoTensorRt(const std::string& library);

}  // namespace roundhouse::delivery_time
