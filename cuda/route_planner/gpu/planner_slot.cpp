#include "planner_slot.hpp"

#include "split.hpp"

namespace roundhouse::route_planner::gpu {

using device::require;

/// Warps that split searches, for each that the general kernel has: as many as there are of the pieces of a few.
constexpr int kSplitWarps = 4;

PlannerSlot::PlannerSlot(int chunk, int scratches, SearchLauncher launchSearches)
    : scratches_(scratches), launchSearches_(launchSearches) {
  const auto size = static_cast<std::size_t>(chunk);
  d_arena_.demand(size * kMostRecordUnits * 16);
  d_places_.demand(size * sizeof(Place));
  d_items_.demand(2 * size * sizeof(Item));
  d_summaries_.demand(size * sizeof(Summary));
  d_answers_.demand(size * sizeof(Answer));
  d_counters_.demand(sizeof(Counters));
  counters_.demand(sizeof(Counters));
  d_hard_.demand(kMostHard * sizeof(HardSearch));
  const std::size_t bytes = sizeof(GeneralScratch) * static_cast<std::size_t>(scratches);
  d_scratch_.demand(bytes);
  require(cudaMemsetAsync(d_scratch_.as<std::byte>(), 0, bytes, stream_), "scratch memory can't be cleared");
}

void PlannerSlot::begin(int first, int count, bool searches4, Counters* d_zeroed, cudaStream_t stream) {
  batch_ = {first,
            count,
            d_arena_.as<std::byte>(),
            d_places_.as<Place>(),
            d_items_.as<Item>(),
            d_summaries_.as<Summary>(),
            d_answers_.as<Answer>(),
            d_zeroed != nullptr ? d_zeroed : d_counters_.as<Counters>(),
            searches4,
            d_hard_.as<HardSearch>()};
  if (d_zeroed != nullptr) return;
  require(cudaMemsetAsync(batch_.d_counters, 0, sizeof(Counters), stream), "counters can't be cleared");
}

void PlannerSlot::build(int first, int count, DeviceWork& work) {
  begin(first, count, count <= searchUpTo_, nullptr, stream_);
  work.build(batch_, stream_);
  require(cudaMemcpyAsync(counters_.as<Counters>(), batch_.d_counters, sizeof(Counters), cudaMemcpyDeviceToHost, stream_),
          "counters can't be copied");
  built_.record(stream_);
  require(launchPlacing(batch_, stream_), "items can't be placed");
}

void PlannerSlot::readStarts() {
  built_.wait();
  const Counters& counters = *counters_.as<Counters>();
  starts_.first[0] = 0;
  for (int group = 0; group < kGroups; ++group) {
    starts_.first[group + 1] = starts_.first[group] + static_cast<int>(counters.perGroup[group]);
  }
}

void PlannerSlot::launchKernels() {
  const DeviceBatch trees{batch_.d_arena, batch_.d_items, batch_.d_answers};
  for (const int orders : {7, 6, 5}) {
    require(launchSearches_(orders, batch_, starts_, stream_), "a search can't be launched");
  }
  require(launchSplit(batch_, starts_, kSplitWarps * scratches_, stream_), "searches can't be split");
  for (const int orders : {4, 3, 2, 1}) {
    require(launchTrees(orders, trees, starts_, stream_, sides_.all()), "a tree can't be launched");
  }
}

/// Searches that gave up are known on the device only, so the kernel is launched for whatever there may be.
void PlannerSlot::launchGeneral(DeviceWork& work) {
  const int most = starts_.first[kGeneralGroup + 1] - starts_.first[kTreeGroups];
  if (most == 0) return;
  work.solveGeneral(batch_, starts_.first[kGeneralGroup], d_scratch_.as<GeneralScratch>(), smaller(most, scratches_),
                    stream_);
}

void PlannerSlot::launch(DeviceWork& work) {
  readStarts();
  launchKernels();
  launchGeneral(work);
  work.finish(batch_, starts_.count(kRefusedGroup), stream_);
}

void PlannerSlot::solveAtOnce(int count, int mostWarps, DeviceWork& work, cudaStream_t stream) {
  begin(0, count, true, work.zeroCounters(), stream);
  work.build(batch_, stream);
  require(launchPlacing(batch_, stream), "items can't be placed");
  require(launchSmall(batch_, mostWarps, stream), "few problems can't be solved");
  if (work.zeroCounters() == nullptr) launchGeneralOf(count, work, stream);
  work.finish(batch_, DeviceWork::kNotKnown, stream);
}

void PlannerSlot::launchGeneralOf(int most, DeviceWork& work, cudaStream_t stream) {
  work.solveGeneral(batch_, static_cast<int>(kFirstByCounters), d_scratch_.as<GeneralScratch>(), smaller(most, scratches_),
                    stream);
}

bool PlannerSlot::solveRest(const Counters& counters, DeviceWork& work, cudaStream_t stream) {
  const uint32_t left = counters.perGroup[kGeneralGroup] + counters.unsolved;
  if (left == 0) return false;
  launchGeneralOf(static_cast<int>(left), work, stream);
  work.finish(batch_, DeviceWork::kNotKnown, stream);
  return true;
}

Counters PlannerSlot::counters() const {
  Counters counters{};
  require(cudaMemcpy(&counters, batch_.d_counters, sizeof counters, cudaMemcpyDeviceToHost), "counters can't be copied");
  return counters;
}

}  // namespace roundhouse::route_planner::gpu
