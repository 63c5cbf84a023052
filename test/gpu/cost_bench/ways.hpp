#pragma once

#include <map>
#include <string>

#include "../cost_on_gpu.hpp"

namespace roundhouse::test {

/// Ways to make one pass, by parameters of the model.
struct Way {
  const char* name;
  std::map<std::string, std::string> parameters;
  candidate_cost::gpu::CopyBy copyBy;
  int atOnceUpTo;
};

inline const Way kWays[] = {
    {"groups", {{"at_once_up_to", "0"}, {"copies", "engine"}}, candidate_cost::gpu::CopyBy::engine, 0},
    {"once", {{"copies", "engine"}}, candidate_cost::gpu::CopyBy::engine, 32768},
    {"once_kernel", {{"copies", "kernel"}}, candidate_cost::gpu::CopyBy::kernel, 32768},
    {"once_kernel_turns", {{"copies", "kernel"}, {"turns", "on"}}, candidate_cost::gpu::CopyBy::kernel, 32768},
};

}  // namespace roundhouse::test
