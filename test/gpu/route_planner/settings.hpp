// What the programs of route_planner on a GPU are told: flags by name, one value each.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace roundhouse::test {

/// Where models, backends and the problems of ../shared are.
struct PlannerPlaces {
  std::string shared = std::filesystem::exists(".roundhouse/gpu/shared") ? ".roundhouse/gpu/shared" : "../shared";
  std::string models = "models";
  std::string backends = "build/cuda/backends";
  bool withCore = true;
};

class PlannerFlags {
 public:
  /// `--name value …`; `--name` at the end, or before another flag, has no value.
  PlannerFlags(int argc, char** argv) {
    for (int at = 1; at < argc; ++at) {
      const bool valued = at + 1 < argc && std::string(argv[at + 1]).rfind("--", 0) != 0;
      const std::string name = argv[at];
      flags_[name] = valued ? argv[++at] : "";
    }
  }

  bool has(const char* name) const { return flags_.count(name) > 0; }
  std::string text(const char* name, const std::string& otherwise) const {
    return has(name) ? flags_.at(name) : otherwise;
  }
  int number(const char* name, int otherwise) const { return has(name) ? std::atoi(flags_.at(name).c_str()) : otherwise; }

  PlannerPlaces places() const {
    const PlannerPlaces usual;
    return {text("--shared", usual.shared), text("--models", usual.models), text("--backends", usual.backends),
            !has("--without-core")};
  }

 private:
  std::map<std::string, std::string> flags_;
};

}  // namespace roundhouse::test
