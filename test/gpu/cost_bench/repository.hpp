#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

namespace roundhouse::test {

/// A repository with the shipped models and others made from candidate_cost, gone at the end.
class BenchRepository {
 public:
  explicit BenchRepository(const std::filesystem::path& models)
      : path(std::filesystem::temp_directory_path() / ("roundhouse-cost-bench-" + std::to_string(getpid()))) {
    std::filesystem::copy(models, path, std::filesystem::copy_options::recursive);
  }
  ~BenchRepository() { std::filesystem::remove_all(path); }

  /// candidate_cost as `name` with other instances, for example "{ kind: KIND_CPU count: 16 }".
  void add(const std::string& name, const std::string& instances,
           const std::map<std::string, std::string>& parameters = {}) {
    std::filesystem::copy(path / "candidate_cost", path / name, std::filesystem::copy_options::recursive);
    std::ifstream file(path / "candidate_cost" / "config.pbtxt");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text = std::regex_replace(text, std::regex("\nname: \"candidate_cost\""), "\nname: \"" + name + "\"");
    text = std::regex_replace(text, std::regex(R"(instance_group \[[^\]]*\])"), "instance_group [ " + instances + " ]");
    for (const auto& [key, value] : parameters) {
      text += "parameters [ { key: \"" + key + "\" value: { string_value: \"" + value + "\" } } ]\n";
    }
    std::ofstream(path / name / "config.pbtxt") << text;
  }

  const std::filesystem::path path;
};

}  // namespace roundhouse::test
