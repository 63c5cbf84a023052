// The functions of packing.node, one to one as in bindings.ts. Errors are JS errors with a `code`.
#include <napi.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <cstring>
#include <string>

#include "../../addon/guarded.hpp"
#include "../core/pack_many.hpp"

namespace roundhouse::packing {
namespace {

constexpr int kAbiVersion = 1;
constexpr int kMostThreads = 16;
constexpr double kLargestProfit = 4503599627370496.0;

[[noreturn]] void refuse(const std::string& reason) { throw CodedFailure("PAYLOAD_INVALID", reason); }

/// The values of a typed array of JS itself: the call is over before JS can change them.
template <typename Value>
const Value* valuesOf(const Napi::Value& value, napi_typedarray_type type, const char* name, size_t* count) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
    refuse(std::string(name) + " is no array of its type");
  }
  const auto array = value.As<Napi::TypedArray>();
  *count = array.ElementLength();
  return reinterpret_cast<const Value*>(static_cast<const uint8_t*>(array.ArrayBuffer().Data()) + array.ByteOffset());
}

int32_t countOf(const Napi::Value& value, const char* name) {
  const double count = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(count >= 0 && count < (1 << 30) && std::floor(count) == count)) refuse(std::string(name) + " is no count");
  return static_cast<int32_t>(count);
}

double numberOf(const Napi::Value& value, const char* name) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(number >= 0)) refuse(std::string(name) + " is no number from 0 on");
  return number;
}

void checkColumn(const Columns& columns, int32_t column, size_t slots) {
  const auto fault = [&](const char* what) { refuse("column " + std::to_string(column) + ": " + what); };
  if (columns.courier[column] < 0 || columns.courier[column] >= columns.courierCount) fault("courier");
  const double profit = columns.profit[column];
  if (!(profit >= 0 && profit <= kLargestProfit && std::floor(profit) == profit)) fault("profit");
  const int32_t from = columns.orderStart[column];
  const int32_t to = columns.orderStart[column + 1];
  if (to <= from || static_cast<size_t>(to) > slots) fault("orders");
  for (int32_t slot = from; slot < to; ++slot) {
    if (columns.orders[slot] < 0 || columns.orders[slot] >= columns.orderCount) fault("order");
  }
}

Columns columnsOf(const Napi::CallbackInfo& info) {
  Columns columns;
  size_t couriers = 0, profits = 0, starts = 0, slots = 0;
  columns.courier = valuesOf<int32_t>(info[0], napi_int32_array, "courier", &couriers);
  columns.profit = valuesOf<double>(info[1], napi_float64_array, "profit", &profits);
  columns.orderStart = valuesOf<int32_t>(info[2], napi_int32_array, "orderStart", &starts);
  columns.orders = valuesOf<int32_t>(info[3], napi_int32_array, "orders", &slots);
  columns.courierCount = countOf(info[4], "courierCount");
  columns.orderCount = countOf(info[5], "orderCount");
  columns.penaltySum = numberOf(info[6], "penaltySum");
  if (profits != couriers || starts != couriers + 1) refuse("columns of different lengths");
  if (couriers == 0 || couriers >= (1U << 30) || slots >= (1U << 30)) refuse("no columns, or too many");
  if (columns.orderStart[0] != 0) refuse("orderStart");
  columns.count = static_cast<int32_t>(couriers);
  for (int32_t column = 0; column < columns.count; ++column) checkColumn(columns, column, slots);
  return columns;
}

Napi::Value pack(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Columns columns = columnsOf(info);
    const Goal goal{numberOf(info[7], "budget"), numberOf(info[8], "closeEnough"), columns.penaltySum};
    const int32_t threads = countOf(info[9], "threads");
    if (threads < 1 || threads > kMostThreads) refuse("threads");
    const Packing packing = ManyPacker(columns, goal, threads).pack();
    auto chosen = Napi::Int32Array::New(info.Env(), packing.columns.size());
    if (!packing.columns.empty()) std::memcpy(chosen.Data(), packing.columns.data(), chosen.ByteLength());
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("columns", chosen);
    result.Set("bound", Napi::Number::New(info.Env(), packing.bound));
    return result;
  });
}

Napi::Value abiVersion(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), kAbiVersion); }

/// A large decision takes and frees some 20 MB, here and in typed arrays: the process keeps them, since pages that are
/// given back and taken again cost a fault each, thousands a round.
void keepFreedMemory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  keepFreedMemory();
  exports.Set("abiVersion", Napi::Function::New(env, abiVersion));
  exports.Set("pack", Napi::Function::New(env, pack));
  return exports;
}

}  // namespace
}  // namespace roundhouse::packing

using roundhouse::packing::init;
NODE_API_MODULE(packing, init)
