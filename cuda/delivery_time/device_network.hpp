#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "network.hpp"

namespace roundhouse::delivery_time {

/// What the network computes with on the device. The faster ones are used within a limit (accuracy_limit.hpp).
enum class Precision { fp32, tf32, fp16 };

/// What a plan's kernels, launched one by one, take the host longer to enqueue than a GPU to run.
constexpr std::size_t kCallGraphRows = 16'384;

struct DeviceNetworkOptions {
  /// model.onnx, or a TensorRT plan where the name ends with .plan.
  std::filesystem::path file;
  int device = 0;
  /// The network's contract; a file with other columns is refused.
  Columns columns{};
  /// Absent: the fastest one whose predictions stay within the limit of `reference`.
  std::optional<Precision> precision;
  /// The same network on ONNX Runtime, asked during the load only; nullptr: no limit is checked.
  Network* reference = nullptr;
  /// Batch sizes that a built plan is optimised for, ascending; a batch above the last one is split.
  std::vector<std::size_t> profiles{256, 2'048, 16'384, 65'536};
  /// libnvinfer; '' = the environment's ROUNDHOUSE_TENSORRT_LIBRARY, else the loader's search path.
  std::string library;
  /// Where built plans are kept; '' = the environment's ROUNDHOUSE_PLAN_DIR, else the user's cache folder.
  std::filesystem::path planFolder;
  /// Small batches run as CUDA graphs.
  bool graphs = true;
  /// Batches of up to so many rows that are a call of their own run as a graph; at most the largest profile, 0: none. Each
  /// context that is prepared has buffers and activations for so many.
  std::size_t callGraphRows = kCallGraphRows;
  /// Activations lie in the arena that all networks of a GPU share; false: each context has its own.
  bool sharedArena = true;
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
