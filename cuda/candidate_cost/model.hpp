#pragma once

#include <memory>

#include "model_settings.hpp"
#include "network.hpp"
#include "shard.hpp"

namespace roundhouse::candidate_cost {

/// What the instances of a model share.
struct Model {
  backend::ModelSettings settings;
  std::unique_ptr<delivery_time::Network> network;
  /// Rows of several shards go through the network in one call only where a row's bits don't depend on it.
  bool batchInvariant = false;
  std::unique_ptr<MatrixStore> matrices;
};

/// Memory of one instance; its thread alone uses it.
struct Instance {
  std::unique_ptr<CandidateWorkspace> workspace;

  Instance();
};

/// Loads the pinned network and costs the sample shard, so that a model that is ready has worked. Throws Error.
std::unique_ptr<Model> loadModel(TRITONBACKEND_Model* handle);

}  // namespace roundhouse::candidate_cost
