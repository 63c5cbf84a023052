#include "batch_upload.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "table_bytes.hpp"

namespace roundhouse::candidate_cost::gpu {
namespace {

/// Memory that grows by doubling is taken rarely, which waits for the whole GPU.
std::size_t roomFor(std::size_t bytes) { return std::bit_ceil(std::max(bytes, std::size_t{1} << 16)); }

/// The tables' bytes that go to the GPU: the request's own where it reads them from there.
std::array<TensorBytes, 7> bytesOf(const ShardInput& input) {
  return tableBytes(input.pinned ? input.shard->given : input.shard->tables);
}

int mostOrdersOfAPlan(const ShardTables& tables) {
  std::int32_t held = 0;
  for (int row = 0; row < tables.courierCount; ++row) {
    held = std::max(held, tables.courier(row)[layout::CourierColumn::heldCount]);
  }
  return held + tables.candidateColumns - layout::CandidateColumn::firstOrder;
}

void fillAsks(const Shard& shard, OrderAsk* asks) {
  std::fill_n(asks, shard.tables.orderCount, kNothingAsked);
  for (std::size_t row = 0; row < shard.needed.orders.size(); ++row) {
    const std::int32_t order = shard.needed.orders[row];
    const int settled = settledFlags(shard.tables.order(order), shard.needed.onBoard[order]);
    asks[order] = orderAsk(static_cast<std::int32_t>(row), settled);
  }
}

}  // namespace

void BatchUpload::prepare(std::span<const ShardInput> inputs) {
  shards_.assign(inputs.size(), DeviceShard{});
  orders_ = candidates_ = rows_ = mostOrders_ = mostCandidates_ = mostPlanOrders_ = 0;
  demandRoom(inputs);
  direct_.assign(1, {staging_.as<std::byte>(), d_memory_.as<std::byte>(), stagedBytes_});
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    placeTables(inputs[index], stretches_[index], shards_[index]);
    describe(inputs[index], shards_[index]);
  }
  std::memcpy(staging_.as<std::byte>(), shards_.data(), sizeof(DeviceShard) * shards_.size());
  std::byte* const results = staging_.as<std::byte>() + resultsAt_;
  std::memset(results, 0, statesIn());
  std::fill_n(reinterpret_cast<ShardState*>(results + statesIn()), shards_.size(), kFreshState);
}

void BatchUpload::demandRoom(std::span<const ShardInput> inputs) {
  next_.staged = aligned(sizeof(DeviceShard) * inputs.size());
  std::size_t direct = 0, times = 0;
  resultsAt_ = next_.staged;
  stretches_.clear();
  for (const ShardInput& input : inputs) {
    const auto tensors = bytesOf(input);
    stretches_.push_back(input.pinned ? stretchOf(tensors) : TensorBytes{nullptr, 0});
    const auto orders = static_cast<std::size_t>(input.shard->tables.orderCount);
    resultsAt_ += aligned(sizeof(OrderAsk) * orders);
    times += sizeof(std::int32_t) * layout::ORDER_TIME_COLUMNS * orders;
    direct += aligned(stretches_.back().bytes + kAround);
    if (stretches_.back().bytes > 0) continue;
    for (const TensorBytes& tensor : tensors) resultsAt_ += aligned(tensor.bytes);
  }
  stagedBytes_ = resultsAt_ + timesIn();
  next_.direct = stagedBytes_ + aligned(times);
  staging_.demand(roomFor(stagedBytes_));
  d_memory_.demand(roomFor(next_.direct + direct));
}

/// The next bytes of the staging memory; the same place of the GPU's is `at` of them.
std::byte* BatchUpload::stage(std::size_t bytes) {
  std::byte* const start = staging_.as<std::byte>() + next_.staged;
  next_.staged += aligned(bytes);
  return start;
}

void BatchUpload::placeTables(const ShardInput& input, const TensorBytes& stretch, DeviceShard& shard) {
  const auto tensors = bytesOf(input);
  const std::byte* const d_memory = d_memory_.as<std::byte>();
  std::byte* const d_stretch = d_memory_.as<std::byte>() + next_.direct + reinterpret_cast<std::uintptr_t>(stretch.data) % 16;
  std::array<const std::byte*, 7> at{};
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    const TensorBytes& tensor = tensors[index];
    if (tensor.bytes == 0) continue;
    if (stretch.bytes > 0) {
      const auto* first = static_cast<const std::byte*>(stretch.data);
      at[index] = d_stretch + (static_cast<const std::byte*>(tensor.data) - first);
    } else {
      std::byte* const staged = stage(tensor.bytes);
      std::memcpy(staged, tensor.data, tensor.bytes);
      at[index] = d_memory + (staged - staging_.as<std::byte>());
    }
  }
  shard.tables = tablesAt(input.shard->tables, at);
  if (stretch.bytes == 0) return;
  direct_.push_back({stretch.data, d_stretch, stretch.bytes});
  next_.direct += aligned(stretch.bytes + kAround);
}

void BatchUpload::describe(const ShardInput& input, DeviceShard& shard) {
  const Shard& from = *input.shard;
  std::byte* const asks = stage(sizeof(OrderAsk) * static_cast<std::size_t>(from.tables.orderCount));
  fillAsks(from, reinterpret_cast<OrderAsk*>(asks));
  shard.asks = reinterpret_cast<const OrderAsk*>(d_memory_.as<std::byte>() + (asks - staging_.as<std::byte>()));
  if (from.needed.count() > 0) shard.context = etrContext(from.tables.params);
  std::copy_n(input.d_layers, kVehicles, shard.layers);
  shard.zones = from.matrix ? from.matrix->zones() : 0;
  shard.firstOrder = orders_;
  shard.firstCandidate = candidates_;
  shard.firstRow = rows_;
  shard.orderRows = static_cast<std::int32_t>(from.needed.orders.size());
  shard.asksRideFactors = from.needed.rideFactors;
  orders_ += from.tables.orderCount;
  candidates_ += from.tables.candidateCount;
  rows_ += static_cast<int>(from.needed.count());
  mostOrders_ = std::max(mostOrders_, from.tables.orderCount);
  mostCandidates_ = std::max(mostCandidates_, from.tables.candidateCount);
  mostPlanOrders_ = std::max(mostPlanOrders_, mostOrdersOfAPlan(from.tables));
}

void BatchUpload::enqueue(CopyBy how, cudaStream_t stream) const {
  enqueueCopies(direct_, how, cudaMemcpyHostToDevice, stream);
}

}  // namespace roundhouse::candidate_cost::gpu
