#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "algo/travel.hpp"
#include "sha256.hpp"

namespace roundhouse::candidate_cost {

/// A zone-to-zone matrix of the repository (docs/travel.md).
class TravelMatrix {
 public:
  /// Checks header, size and entries. Throws Error (TRAVEL_MATRIX_UNKNOWN) saying what is wrong.
  explicit TravelMatrix(std::vector<std::uint8_t> bytes);

  std::int32_t zones() const { return zones_; }
  /// [zones, zones] seconds of a vehicle class, or nullptr where the matrix has none for it.
  const std::int32_t* seconds(int vehicle) const;
  /// All layers.
  std::span<const std::int32_t> entries() const;
  std::size_t byteCount() const { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::int32_t zones_ = 0;
  std::uint32_t layers_ = 0;
};

/// Matrices by content hash, read at first use; those used last stay in memory, as many as `mostBytes` holds and at
/// least one. Safe from several threads.
class MatrixStore {
 public:
  /// One of the largest size (4,096 zones, four layers) and its header, or many small ones.
  static constexpr std::size_t kMostBytes = (std::size_t{256} << 20) + 4096;

  explicit MatrixStore(std::filesystem::path folder, std::size_t mostBytes = kMostBytes)
      : folder_(std::move(folder)), mostBytes_(mostBytes) {}

  /// Throws Error (TRAVEL_MATRIX_UNKNOWN) with the hash.
  std::shared_ptr<const TravelMatrix> get(const Sha256& hash);

 private:
  struct Kept {
    Sha256 hash;
    std::shared_ptr<const TravelMatrix> matrix;
  };

  std::shared_ptr<const TravelMatrix> read(const Sha256& hash) const;

  std::filesystem::path folder_;
  std::size_t mostBytes_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  /// Most recently used first.
  std::list<Kept> kept_;
};

}  // namespace roundhouse::candidate_cost
