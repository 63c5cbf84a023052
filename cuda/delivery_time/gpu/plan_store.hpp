#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plan_key.hpp"

namespace roundhouse::delivery_time::gpu {

/// Built plans of this user: a folder or file that others own or can write is not used. Several processes may use one folder: a plan appears in it whole or not at all.
class PlanStore {
 public:
  /// '' = ROUNDHOUSE_PLAN_DIR of the environment, else roundhouse/plans in the user's cache folder.
  explicit PlanStore(const std::filesystem::path& folder);

  /// Empty where there is no place for them; nothing is kept then.
  const std::filesystem::path& folder() const { return folder_; }
  /// The plan's bytes; nothing where there is none, or one that is damaged, another key's or
  /// could be another user's: `fault` says what.
  std::optional<std::string> find(const PlanKey& key, std::string& fault) const;
  /// '' or why it could not be kept.
  std::string keep(const PlanKey& key, const std::string& plan) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace roundhouse::delivery_time::gpu
