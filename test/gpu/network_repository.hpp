// A model repository in a temporary folder with one delivery-time network of any columns.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "network.hpp"

namespace roundhouse::test {

/// The checkout: where this runs, else where it was built.
inline std::filesystem::path checkoutFolder() {
  const std::filesystem::path here = std::filesystem::current_path();
  return std::filesystem::exists(here / "models" / "delivery_time") ? here : ROUNDHOUSE_SOURCE;
}

/// The backends of the build that this program is of.
inline std::filesystem::path backendsFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "backends";
}

class NetworkRepository {
 public:
  NetworkRepository()
      : folder_(std::filesystem::temp_directory_path() / ("roundhouse-networks-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~NetworkRepository() { std::filesystem::remove_all(folder_); }
  NetworkRepository(const NetworkRepository&) = delete;
  NetworkRepository& operator=(const NetworkRepository&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  /// `parameters` is more of config.pbtxt's list, for example "{ key: … }". Returns the version's folder.
  std::filesystem::path add(const std::string& model, const delivery_time::Columns& columns,
                            const std::string& parameters = "", const std::string& group = "kind: KIND_AUTO",
                            const std::string& backend = "delivery_time",
                            const std::string& scheduling = "dynamic_batching { }") {
    const auto version = folder_ / model / "1";
    std::filesystem::create_directories(version);
    std::ofstream(folder_ / model / "config.pbtxt")
        << "backend: \"" << backend << "\"\nmax_batch_size: 65536\n"
        << "input [ { name: \"features\" data_type: TYPE_FP32 dims: [ " << columns.features << " ] } ]\n"
        << "output [ { name: \"quantiles\" data_type: TYPE_FP32 dims: [ " << columns.quantiles << " ] } ]\n"
        << scheduling << "\ninstance_group [ { " << group << " } ]\nparameters [ " << parameters << " ]\n";
    return version;
  }

  static std::string parameter(const std::string& key, const std::string& value) {
    return "{ key: \"" + key + "\" value: { string_value: \"" + value + "\" } }";
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace roundhouse::test
