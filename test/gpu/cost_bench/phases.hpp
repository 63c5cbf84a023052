#pragma once

#include <map>

#include "../cost_on_gpu.hpp"
#include "../random_shards.hpp"

namespace roundhouse::test {

struct Phase {
  std::string name;
  double medianUs = 0;
};

/// Batches of `count` shards of a shape, one after the other with a clock: what its phases take on the GPU, at the median.
/// The clock's events cost time themselves, so the sum is more than a batch takes without it.
inline std::vector<Phase> phasesOf(std::unique_ptr<delivery_time::DeviceNetwork::Context> network, const ShardShape& shape,
                                   int count, int batches, GpuCosts::Options options) {
  candidate_cost::gpu::PhaseClock clock;
  options.padsRows = true;
  options.clock = &clock;
  GpuCosts gpu(std::move(network), options);
  candidate_cost::MatrixStore none("/nowhere");
  Random random{77};
  std::vector<candidate_cost::ShardValues> values;
  for (int index = 0; index < count; ++index) values.push_back(randomShard(random, shape));
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> times;
  gpu.repeat(values, none, batches, [&] {
    for (const auto& [name, milliseconds] : clock.take()) {
      if (times[name].empty()) order.push_back(name);
      times[name].push_back(1000.0 * milliseconds);
    }
  });
  std::vector<Phase> phases;
  for (const std::string& name : order) {
    auto& own = times[name];
    std::sort(own.begin(), own.end());
    phases.push_back({name, own[own.size() / 2]});
  }
  return phases;
}

}  // namespace roundhouse::test
