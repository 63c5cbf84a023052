#pragma once

#include "../../route_planner/gpu/device_planner.hpp"
#include "phase_clock.hpp"

namespace roundhouse::candidate_cost::gpu {

/// Tells a clock where the planner's phases end. They are told apart where all candidates are one chunk.
class MarkedWork final : public route_planner::gpu::DeviceWork {
 public:
  MarkedWork(DeviceWork& work, PhaseClock& clock) : work_(work), clock_(clock) {}

  int take(int first, int most) override { return work_.take(first, most); }
  int mostOrders() const override { return work_.mostOrders(); }
  route_planner::gpu::Counters* zeroCounters() const override { return work_.zeroCounters(); }
  void build(const route_planner::gpu::Building& to, cudaStream_t stream) override {
    clock_.mark("to the planner", stream);
    work_.build(to, stream);
    clock_.mark("build", stream);
  }
  void solveGeneral(const route_planner::gpu::Building& batch, int firstItem,
                    route_planner::gpu::GeneralScratch* d_scratch, int blocks, cudaStream_t stream) override {
    work_.solveGeneral(batch, firstItem, d_scratch, blocks, stream);
  }
  void finish(const route_planner::gpu::Building& solved, int refused, cudaStream_t stream) override {
    clock_.mark("OR", stream);
    work_.finish(solved, refused, stream);
    clock_.mark("records", stream);
  }

 private:
  DeviceWork& work_;
  PhaseClock& clock_;
};

}  // namespace roundhouse::candidate_cost::gpu
