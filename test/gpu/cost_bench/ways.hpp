#pragma once

#include <map>
#include <string>

namespace roundhouse::test {

/// Ways to make one pass: how many lanes build a problem together, 1: each its own.
struct Way {
  const char* name;
  int buildLanes;

  std::map<std::string, std::string> parameters() const { return {{"build_lanes", std::to_string(buildLanes)}}; }
};

inline const Way kWays[] = {{"alone", 1}, {"team4", 4}, {"team8", 8}, {"team16", 16}, {"team32", 32}};

}  // namespace roundhouse::test
