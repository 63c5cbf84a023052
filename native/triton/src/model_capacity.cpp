#include "model_capacity.hpp"

#include <algorithm>

#include "admission.hpp"
#include "core_api.hpp"
#include "json.hpp"

namespace roundhouse {
namespace {

using backend::Json;

std::int64_t number(const Json& object, const char* name) {
  const Json& value = object.at(name);
  return value.kind == Json::Kind::null ? 0 : value.integer();
}

// A group on GPUs has its count on each of them.
std::int64_t instances_of(const Json& group) {
  const auto devices = static_cast<std::int64_t>(group.at("gpus").list.size());
  return std::max<std::int64_t>(1, number(group, "count")) * std::max<std::int64_t>(1, devices);
}

}  // namespace

std::int64_t next_batches(const std::string& config) {
  try {
    const Json model = backend::parseJson(config);
    const std::vector<Json>& groups = model.at("instance_group").list;
    if (groups.empty()) return kUnbounded;
    std::int64_t instances = 0;
    for (const Json& group : groups) instances += instances_of(group);
    return instances * std::max<std::int64_t>(1, number(model, "max_batch_size"));
  } catch (const std::exception& error) {
    throw TritonFailure("INTERNAL", std::string("the configuration of a model: ") + error.what());
  }
}

std::int64_t latest_version(const std::string& metadata) {
  try {
    const Json model = backend::parseJson(metadata);
    std::int64_t latest = -1;
    for (const Json& version : model.at("versions").list) {
      latest = std::max<std::int64_t>(latest, version.integer());
    }
    return latest;
  } catch (const std::exception& error) {
    throw TritonFailure("INTERNAL", std::string("the metadata of a model: ") + error.what());
  }
}

}  // namespace roundhouse
