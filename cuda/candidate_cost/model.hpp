#pragma once

#include <memory>

#include "gpu_model.hpp"
#include "model_settings.hpp"
#include "network.hpp"
#include "shard.hpp"

namespace roundhouse::candidate_cost {

/// What the instances of a model share.
struct Model {
  backend::ModelSettings settings;
  std::filesystem::path networkFile;
  std::unique_ptr<delivery_time::Network> network;
  /// Rows of several shards go through the network in one call only where a row's bits don't depend on it.
  bool batchInvariant = false;
  std::unique_ptr<MatrixStore> matrices;
  /// Null in a build without CUDA. Goes before what it uses.
  std::unique_ptr<GpuModel> gpu;

  /// The whole way of a request on the sample shard, on the CPU.
  void dryRun();
};

/// Memory of one instance; its thread alone uses it.
struct Instance {
  std::unique_ptr<CandidateWorkspace> workspace;
  /// Null for an instance on the CPU.
  std::unique_ptr<GpuInstance> gpu;

  Instance();
};

/// An instance where the core wants it, or on the CPU where it can't be there.
std::unique_ptr<Instance> makeInstance(Model& model, TRITONBACKEND_ModelInstance* handle);

/// Loads the pinned network and costs the sample shard, so that a model that is ready has worked. Throws Error.
std::unique_ptr<Model> loadModel(TRITONBACKEND_Model* handle);

}  // namespace roundhouse::candidate_cost
