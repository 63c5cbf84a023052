#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace roundhouse::delivery_time {

/// Columns of the network (EtrFeature, EtrOutput in schemas/src/tensors.ts; docs/etr.md).
constexpr std::size_t kFeatures = 20;
constexpr std::size_t kQuantiles = 8;

/// Shape of a network of rows: `features` [N, features] → `quantiles` [N, quantiles].
struct Columns {
  std::size_t features = kFeatures;
  std::size_t quantiles = kQuantiles;
};

/// The delivery-time network on some runtime. Built once a model and shared by its instances.
class Network {
 public:
  virtual ~Network() = default;

  /// Those of the contract, unless the model declares others.
  virtual Columns columns() const { return {}; }

  /// `features` is [rows, features], `quantiles` [rows, quantiles], both CPU memory; rows ≥ 1. Safe from several threads.
  /// Throws Error.
  virtual void predict(const float* features, std::size_t rows, float* quantiles) = 0;

  /// For the log: runtime and version.
  virtual std::string description() const = 0;
};

/// What a dry run found out.
struct DryRun {
  /// A row has the same bits whatever the batch, so rows of several requests may share a call.
  bool batchInvariant;
};

/// Runs the network alone and in batches. Throws Error on values that are not finite.
DryRun dryRun(Network& network);

}  // namespace roundhouse::delivery_time
