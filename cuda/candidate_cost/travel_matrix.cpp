#include "travel_matrix.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"
#include "file_bytes.hpp"

namespace roundhouse::candidate_cost {
namespace {

constexpr char kMagic[] = "RHTRAVEL";
constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kLayerOfVehicle = 20;
constexpr std::uint32_t kMaxZones = 4096;
constexpr std::int32_t kMaxSeconds = 604800;
constexpr std::uint8_t kNoLayer = 255;

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorCode::travelMatrixUnknown, reason); }

std::uint32_t headerWord(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

TravelMatrix::TravelMatrix(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  if (bytes_.size() < kHeaderBytes || std::memcmp(bytes_.data(), kMagic, 8) != 0)
    refuse("the file has no RHTRAVEL header");
  if (headerWord(bytes_, 8) != 1) refuse("format version " + std::to_string(headerWord(bytes_, 8)) + " is not 1");
  const std::uint32_t zones = headerWord(bytes_, 12);
  layers_ = headerWord(bytes_, 16);
  if (zones < 1 || zones > kMaxZones) refuse("zone count " + std::to_string(zones) + " is not within 1..4096");
  if (layers_ < 1 || layers_ > kVehicles) refuse("layer count " + std::to_string(layers_) + " is not within 1..4");
  const std::size_t expected = kHeaderBytes + std::size_t{4} * layers_ * zones * zones;
  if (bytes_.size() != expected) refuse(std::to_string(bytes_.size()) + " bytes are not " + std::to_string(expected));
  for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
    const std::uint8_t layer = bytes_[kLayerOfVehicle + vehicle];
    if (layer != kNoLayer && layer >= layers_)
      refuse("vehicle " + std::to_string(vehicle) + " has layer " + std::to_string(layer));
  }
  zones_ = static_cast<std::int32_t>(zones);
  const auto* entries = reinterpret_cast<const std::int32_t*>(bytes_.data() + kHeaderBytes);
  const std::size_t count = (expected - kHeaderBytes) / 4;
  const auto* wrong = std::find_if(entries, entries + count, [](std::int32_t s) { return s < 0 || s > kMaxSeconds; });
  if (wrong != entries + count)
    refuse("entry " + std::to_string(wrong - entries) + " is " + std::to_string(*wrong) + ", not within 0..604800");
}

const std::int32_t* TravelMatrix::seconds(int vehicle) const {
  const std::uint8_t layer = bytes_[kLayerOfVehicle + vehicle];
  if (layer == kNoLayer) return nullptr;
  return entries().data() + std::size_t{layer} * zones_ * zones_;
}

std::span<const std::int32_t> TravelMatrix::entries() const {
  return {reinterpret_cast<const std::int32_t*>(bytes_.data() + kHeaderBytes), (bytes_.size() - kHeaderBytes) / 4};
}

std::shared_ptr<const TravelMatrix> MatrixStore::get(const Sha256& hash) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.hash == hash; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
  } else {
    kept_.push_front({hash, read(hash)});
    bytes_ += kept_.front().matrix->byteCount();
    for (; bytes_ > mostBytes_ && kept_.size() > 1; kept_.pop_back()) bytes_ -= kept_.back().matrix->byteCount();
  }
  return kept_.front().matrix;
}

std::shared_ptr<const TravelMatrix> MatrixStore::read(const Sha256& hash) const {
  const std::string name = hexOf(hash);
  auto bytes = fileBytes(folder_ / (name + ".bin"));
  if (!bytes) refuse("the model repository has no travel matrix " + name);
  const Sha256 found = sha256(*bytes);
  if (found != hash) refuse("travel matrix " + name + " has other content: its SHA-256 is " + hexOf(found));
  try {
    return std::make_shared<const TravelMatrix>(std::move(*bytes));
  } catch (const Error& error) {
    refuse("travel matrix " + name + ": " + std::string(error.what()).substr(sizeof "TRAVEL_MATRIX_UNKNOWN: " - 1));
  }
}

}  // namespace roundhouse::candidate_cost
