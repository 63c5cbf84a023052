#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "../algo/packed.hpp"
#include "worker_pool.hpp"

namespace roundhouse::route_planner::gpu {

/// Words of the problem at `at`, which is at most the end; 0 where it can't be read.
std::size_t packedLength(std::span<const int32_t> words, std::size_t at);

/**
 * Where packed problems begin. A problem's length is in its first two words, so one walk waits for memory at every
 * problem; here several walks take turns, each from where a problem seems to begin in its part of the words, and what they
 * found is used from where the walk in front of them comes upon it. A wrong guess costs time only. Its memory is kept from
 * walk to walk.
 */
class PackedWalk {
 public:
  /// The walks are shared out among the threads of `workers`, which outlives it.
  explicit PackedWalk(WorkerPool& workers) : workers_(workers) {}

  struct End {
    /// Where the next problem begins.
    std::size_t at;
    /// It can't be read: its counts are out of range, or words are missing.
    bool faulty;
  };

  /// Finds the problems, from that at `from` on, that begin before `limit`.
  End walk(std::span<const int32_t> words, std::size_t from, std::size_t limit);
  /// Where those of the last walk begin: words behind its `from`.
  std::span<const uint32_t> starts() const { return starts_; }

  /// Words of a part; shorter ones are walked by one walk.
  static constexpr std::size_t kLeastPart = 4096;
  static constexpr std::size_t kWalks = 32;

 private:
  struct Part {
    std::size_t at, end;
    bool ended, faulty;
    std::vector<uint32_t> starts;
  };

  void begin(std::size_t limit);
  void takeTurns(std::span<Part> parts) const;
  void step(Part& part) const;
  std::size_t guess(std::size_t from, std::size_t end) const;
  bool join(const Part& part, End& end);

  WorkerPool& workers_;
  std::span<const int32_t> words_;
  std::size_t from_ = 0;
  std::size_t parts_ = 0;
  std::array<Part, kWalks> part_;
  std::vector<uint32_t> starts_;
};

}  // namespace roundhouse::route_planner::gpu
