#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "../../device/memory.hpp"
#include "../../device/stream.hpp"
#include "../travel_matrix.hpp"

namespace roundhouse::candidate_cost::gpu {

/// The entries of a travel matrix in device memory.
struct DeviceMatrix {
  device::DeviceMemory memory;
  std::size_t bytes = 0;
};

/// Travel matrices of one GPU by content, copied at their first use; those used last stay there, as many as `mostBytes`
/// holds and at least one. Safe from several threads.
class DeviceMatrices {
 public:
  explicit DeviceMatrices(std::size_t mostBytes = MatrixStore::kMostBytes) : mostBytes_(mostBytes) {}

  /// Waits for the copy, which `stream` makes. The matrix stays as long as the result does. The GPU must be current.
  std::shared_ptr<const DeviceMatrix> get(const Sha256& hash, const TravelMatrix& matrix, const device::Stream& stream);

  std::uint64_t uploads() const { return uploads_.load(); }

 private:
  struct Kept {
    Sha256 hash;
    std::shared_ptr<const DeviceMatrix> matrix;
  };

  std::size_t mostBytes_;
  std::size_t bytes_ = 0;
  std::atomic<std::uint64_t> uploads_{0};
  std::mutex mutex_;
  /// Most recently used first.
  std::list<Kept> kept_;
};

}  // namespace roundhouse::candidate_cost::gpu
