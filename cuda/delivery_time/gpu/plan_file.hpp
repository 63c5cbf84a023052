#pragma once

#include <optional>
#include <string>

#include "plan_key.hpp"

namespace roundhouse::delivery_time::gpu {

/// A plan with its key, as the cache keeps it: a text header with the key, the plan's size and its SHA-256, an empty
/// line, then the plan's bytes.
struct PlanFile {
  PlanKey key;
  std::string plan;
};

std::string encodePlan(const PlanFile& file);

/// Does it begin as one of ours? Else it may be a plan as TensorRT writes it.
bool isPlanFile(const std::string& bytes);

/// Nothing where the bytes are cut short, changed or no plan file; `fault` says which.
std::optional<PlanFile> decodePlan(const std::string& bytes, std::string& fault);

/// The version of TensorRT that wrote a bare plan, "10.6.0.26", from the plan's own header; '' where it has none.
std::string versionOfBarePlan(const std::string& bytes);

}  // namespace roundhouse::delivery_time::gpu
