#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../device/stream.hpp"

namespace roundhouse::candidate_cost::gpu {

/// How long the phases of a batch take on the GPU, for benchmarks: what is asked for in code that is measured costs time
/// itself.
class PhaseClock {
 public:
  /// What `stream` got before this call and after the one before it, of any stream, is `phase`.
  void mark(const char* phase, cudaStream_t stream) {
    marks_.emplace_back(phase, std::make_unique<device::Event>(0u));
    marks_.back().second->record(stream);
  }
  /// Milliseconds by phase, in order, after everything has passed; the first mark only begins. Forgets the marks.
  std::vector<std::pair<std::string, float>> take() {
    std::vector<std::pair<std::string, float>> phases;
    for (std::size_t at = 1; at < marks_.size(); ++at) {
      phases.emplace_back(marks_[at].first, device::millisecondsBetween(*marks_[at - 1].second, *marks_[at].second));
    }
    marks_.clear();
    return phases;
  }

 private:
  std::vector<std::pair<const char*, std::unique_ptr<device::Event>>> marks_;
};

}  // namespace roundhouse::candidate_cost::gpu
