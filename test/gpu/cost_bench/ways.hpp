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
  int atOnceUpTo, builtPerWarp;
  bool graphsEtr = false;
};

inline const Way kWays[] = {
    {"groups", {{"at_once_up_to", "0"}, {"copies", "engine"}}, candidate_cost::gpu::CopyBy::engine, 0, 32},
    {"once", {{"copies", "engine"}}, candidate_cost::gpu::CopyBy::engine, 32768, 32},
    {"once_kernel", {{"copies", "kernel"}}, candidate_cost::gpu::CopyBy::kernel, 32768, 32},
    {"once_kernel_16", {{"copies", "kernel"}, {"built_per_warp", "16"}}, candidate_cost::gpu::CopyBy::kernel, 32768, 16},
    {"once_kernel_8", {{"copies", "kernel"}, {"built_per_warp", "8"}}, candidate_cost::gpu::CopyBy::kernel, 32768, 8},
    {"once_kernel_4", {{"copies", "kernel"}, {"built_per_warp", "4"}}, candidate_cost::gpu::CopyBy::kernel, 32768, 4},
    {"once_kernel_8_graph",
     {{"copies", "kernel"}, {"built_per_warp", "8"}, {"etr", "graph"}},
     candidate_cost::gpu::CopyBy::kernel,
     32768,
     8,
     true},
};

}  // namespace roundhouse::test
