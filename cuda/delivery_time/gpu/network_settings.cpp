#include "../network_settings.hpp"

#include "error.hpp"
#include "profiles.hpp"

namespace roundhouse::delivery_time {
namespace {

std::optional<Precision> precisionOf(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "fp32") return Precision::fp32;
  if (text == "tf32") return Precision::tf32;
  if (text == "fp16") return Precision::fp16;
  throw Error(ErrorCode::modelFailed, "the parameter precision is '" + text + "'; it must be fp32, tf32 or fp16");
}

std::size_t callGraphRowsOf(const std::string& text) {
  const bool whole = !text.empty() && text.size() <= 7 && text.find_first_not_of("0123456789") == std::string::npos;
  if (whole) return std::stoul(text);
  throw Error(ErrorCode::modelFailed, "the parameter graph_rows is '" + text + "'; it must be a number of rows");
}

int planLevelOf(const std::string& text) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '5') return text[0] - '0';
  throw Error(ErrorCode::modelFailed, "the parameter plan_level is '" + text + "'; it must be 0 to 5");
}

bool flagOf(const char* name, const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  throw Error(ErrorCode::modelFailed, std::string("the parameter ") + name + " is '" + text + "'; it must be true or false");
}

}  // namespace

NetworkSettings networkSettingsOf(const Parameter& parameter) {
  NetworkSettings settings;
  settings.precision = precisionOf(parameter("precision", ""));
  if (const std::string sizes = parameter("batch_sizes", ""); !sizes.empty()) settings.profiles = gpu::parseProfiles(sizes);
  settings.planLevel = planLevelOf(parameter("plan_level", "3"));
  settings.library = parameter("tensorrt", "");
  settings.planFolder = parameter("plan_folder", "");
  settings.graphs = flagOf("graphs", parameter("graphs", "true"));
  settings.callGraphRows = callGraphRowsOf(parameter("graph_rows", std::to_string(kCallGraphRows)));
  settings.sharedArena = flagOf("shared_arena", parameter("shared_arena", "true"));
  return settings;
}

}  // namespace roundhouse::delivery_time
