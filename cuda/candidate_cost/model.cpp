#include "model.hpp"

#include "network_pin.hpp"
#include "onnx_network.hpp"
#include "sample_shard.hpp"
#include "triton_error.hpp"

namespace roundhouse::candidate_cost {
namespace {

using backend::TensorDeclaration;

const std::vector<TensorDeclaration> kInputs = {
    {"params", TRITONSERVER_TYPE_INT64},      {"couriers", TRITONSERVER_TYPE_INT32},
    {"held", TRITONSERVER_TYPE_INT32},        {"orders", TRITONSERVER_TYPE_INT32},
    {"places", TRITONSERVER_TYPE_INT32},      {"order_features", TRITONSERVER_TYPE_FP32},
    {"candidates", TRITONSERVER_TYPE_UINT16},
};
const std::vector<TensorDeclaration> kOutputs = {
    {"plans", TRITONSERVER_TYPE_UINT8},
    {"order_times", TRITONSERVER_TYPE_INT32},
    {"ride_factors", TRITONSERVER_TYPE_INT32},
    {"interval", TRITONSERVER_TYPE_INT64},
    {"phases", TRITONSERVER_TYPE_INT64},
};

}  // namespace

void Model::dryRun() {
  const ShardValues sample = sampleShard();
  const Shard shard = openShard(sample.bytes(), *matrices);
  std::vector<float> features(shard.needed.count() * layout::ETR_FEATURES);
  std::vector<float> quantiles(shard.needed.count() * layout::ETR_OUTPUTS);
  gatherFeatures(shard.tables, shard.needed, features.data());
  network->predict(features.data(), shard.needed.count(), quantiles.data());
  const ShardTimes times = shardTimes(shard.tables, shard.needed, quantiles.data());
  std::vector<std::uint8_t> plans(static_cast<std::size_t>(shard.tables.candidateCount) * layout::PLAN_RECORD_BYTES);
  const Instance instance;
  costShard(shard, times, *instance.workspace, [] { return false; }, plans.data());
  for (std::size_t at = layout::PlanRecord::flags; at < plans.size(); at += layout::PLAN_RECORD_BYTES) {
    if (plans[at] != layout::PlanFlag::feasible) throw Error(ErrorCode::modelFailed, "the dry run found no plan");
  }
}

Instance::Instance() : workspace(std::make_unique<CandidateWorkspace>()) {
  route_planner::resetWorkspace(workspace->planner);
}

std::unique_ptr<Instance> makeInstance(Model& model, TRITONBACKEND_ModelInstance* handle) {
  TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_CPU;
  std::int32_t device = 0;
  backend::check(TRITONBACKEND_ModelInstanceKind(handle, &kind));
  backend::check(TRITONBACKEND_ModelInstanceDeviceId(handle, &device));
  auto instance = std::make_unique<Instance>();
  const bool onGpu = kind == TRITONSERVER_INSTANCEGROUPKIND_GPU && model.gpu != nullptr;
  if (onGpu) instance->gpu = model.gpu->instance(device);
  return instance;
}

std::unique_ptr<Model> loadModel(TRITONBACKEND_Model* handle) {
  auto model = std::make_unique<Model>();
  const auto& settings = model->settings = backend::readModelSettings(handle, kInputs, kOutputs);
  const auto pin = settings.versionFolder() / settings.parameter("network_pin", "network.json");
  const auto& file = model->networkFile = pinnedNetwork(settings.repository(), pin);
  model->network = delivery_time::loadNetwork(file, settings.parameter("onnxruntime", ""));
  model->batchInvariant = delivery_time::dryRun(*model->network).batchInvariant;
  model->matrices =
      std::make_unique<MatrixStore>(settings.repository() / settings.parameter("travel_folder", "travel"));
  model->dryRun();
  model->gpu = makeGpuModel(*model);
  backend::logInfo(__FILE__, __LINE__,
                   settings.name + " " + std::to_string(settings.version) + ": network " +
                       file.lexically_relative(settings.repository()).string() + " on " +
                       model->network->description() +
                       (model->batchInvariant ? "" : "; rows depend on the batch, so each shard is predicted alone"));
  return model;
}

}  // namespace roundhouse::candidate_cost
