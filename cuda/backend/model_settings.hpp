#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "json.hpp"
#include "triton_backend_api.hpp"

namespace roundhouse::backend {

/// What a backend needs to know of its model: name, place on disk, and the settings of config.pbtxt.
struct ModelSettings {
  std::string name;
  std::uint64_t version = 0;
  /// Folder of the model (…/models/candidate_cost).
  std::filesystem::path folder;
  std::int64_t maxBatchSize = 0;
  std::map<std::string, std::string> parameters;

  std::filesystem::path repository() const { return folder.parent_path(); }
  std::filesystem::path versionFolder() const { return folder / std::to_string(version); }
  /// The value of a parameter, or `otherwise` where config.pbtxt has none.
  std::string parameter(const std::string& key, const std::string& otherwise) const;
};

struct TensorDeclaration {
  std::string name;
  TRITONSERVER_DataType datatype;
};

/// config.pbtxt as the core has read it.
Json readModelConfig(TRITONBACKEND_Model* model);

/// Reads the settings and throws Error unless config.pbtxt declares exactly these inputs and outputs.
ModelSettings readModelSettings(TRITONBACKEND_Model* model, const std::vector<TensorDeclaration>& inputs,
                                const std::vector<TensorDeclaration>& outputs);

}  // namespace roundhouse::backend
