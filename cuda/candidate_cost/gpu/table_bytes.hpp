#pragma once

#include <array>
#include <cstddef>

#include "../algo/shard_tables.hpp"

namespace roundhouse::candidate_cost::gpu {

/// The seven tensors of a shard as bytes, in the order of ShardBytes.
inline std::array<TensorBytes, 7> tableBytes(const ShardTables& tables) {
  const auto rows = [](std::int32_t count, int columns, std::size_t bytes) {
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(columns) * bytes;
  };
  return {{{tables.params, sizeof(std::int64_t) * layout::PARAM_COUNT},
           {tables.couriers, rows(tables.courierCount, layout::COURIER_COLUMNS, 4)},
           {tables.held, rows(tables.heldCount, layout::HELD_COLUMNS, 4)},
           {tables.orders, rows(tables.orderCount, layout::ORDER_COLUMNS, 4)},
           {tables.places, rows(tables.placeCount, layout::PLACE_COLUMNS, 4)},
           {tables.orderFeatures, rows(tables.orderCount, layout::ORDER_FEATURE_COLUMNS, 4)},
           {tables.candidates, rows(tables.candidateCount, tables.candidateColumns, 2)}}};
}

/// The same tables where their tensors begin at `at`.
inline ShardTables tablesAt(ShardTables tables, const std::array<const std::byte*, 7>& at) {
  tables.params = reinterpret_cast<const std::int64_t*>(at[0]);
  tables.couriers = reinterpret_cast<const std::int32_t*>(at[1]);
  tables.held = reinterpret_cast<const std::int32_t*>(at[2]);
  tables.orders = reinterpret_cast<const std::int32_t*>(at[3]);
  tables.places = reinterpret_cast<const std::int32_t*>(at[4]);
  tables.orderFeatures = reinterpret_cast<const float*>(at[5]);
  tables.candidates = reinterpret_cast<const std::uint16_t*>(at[6]);
  return tables;
}

/// The stretch of memory that holds all tensors, where little else lies between them; else no bytes.
inline TensorBytes stretchOf(const std::array<TensorBytes, 7>& tensors) {
  constexpr std::uint64_t kMostBetween = 64;
  const std::byte* first = nullptr;
  const std::byte* end = nullptr;
  std::uint64_t sum = 0;
  for (const TensorBytes& tensor : tensors) {
    if (tensor.bytes == 0) continue;
    const auto* start = static_cast<const std::byte*>(tensor.data);
    first = first == nullptr || start < first ? start : first;
    end = end == nullptr || start + tensor.bytes > end ? start + tensor.bytes : end;
    sum += tensor.bytes;
  }
  const auto length = static_cast<std::uint64_t>(end - first);
  return length <= sum + kMostBetween * tensors.size() ? TensorBytes{first, length} : TensorBytes{nullptr, 0};
}

}  // namespace roundhouse::candidate_cost::gpu
