#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace roundhouse::delivery_time {

/// What the network computes with on the device. The faster ones are used within a limit (accuracy_limit.hpp).
enum class Precision { fp32, tf32, fp16 };

/// What a plan's kernels, launched one by one, take the host longer to enqueue than a GPU to run.
constexpr std::size_t kCallGraphRows = 16'384;

/// How a network runs on a GPU.
struct NetworkSettings {
  /// Absent: the fastest one whose predictions stay within the limit of the reference.
  std::optional<Precision> precision;
  /// Batch sizes that a built plan is optimised for, ascending; a batch above the last one is split.
  std::vector<std::size_t> profiles{256, 2'048, 16'384, 65'536};
  /// TensorRT's optimisation level of a plan that is built, 0 (built in the least time) to 5. A kept plan is taken whatever
  /// its level.
  int planLevel = 3;
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

/// Gives the value of a parameter of a config.pbtxt, or `otherwise` where there is none.
using Parameter = std::function<std::string(const char* key, const std::string& otherwise)>;

/// What docs/etr.md says of a network's parameters. Throws Error.
NetworkSettings networkSettingsOf(const Parameter& parameter);

}  // namespace roundhouse::delivery_time
