#pragma once

#include <filesystem>
#include <string>

namespace roundhouse::candidate_cost {

/// The network that a version of candidate_cost was published with: a file of the repository and its content.
struct NetworkPin {
  /// Relative to the repository, for example delivery_time/1/model.onnx.
  std::string file;
  /// Lower-case hex.
  std::string sha256;
};

/// Reads a pin {"network": …, "sha256": …} and returns the pinned file's path. Throws Error where the pin or the
/// file can't be read, or the file's content is not the pinned one.
std::filesystem::path pinnedNetwork(const std::filesystem::path& repository, const std::filesystem::path& pinFile);

}  // namespace roundhouse::candidate_cost
