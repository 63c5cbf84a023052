// The GPU's clock in Unix time, from what batches allow.
#include "../../cuda/candidate_cost/gpu/device_clock.hpp"
#include "check.hpp"

using roundhouse::candidate_cost::gpu::DeviceClock;
using namespace roundhouse::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

/// 1,000 before and 3,000 behind: the middle is 1,000 too late.
void oneBatch() {
  DeviceClock clock;
  // Unix = device + 500: host 1,500,000 … 1,509,000, device 1,500,500 (host 1,501,000) and 1,505,500 (host 1,506,000).
  clock.observe(1'500'000, 1'500'500, 1'505'500, 1'509'000);
  // −500 … 3,500, the middle 1,500: 1,000 above the truth of 500.
  CHECK_EQUAL(clock.unixNs(1'502'000), 1'503'500);
}

/// Each batch may only narrow what is known: −500 … 3,500 and 400 … 5,000 leave 400 … 3,500.
void batchesNarrow() {
  DeviceClock clock;
  clock.observe(1'500'000, 1'500'500, 1'505'500, 1'509'000);
  clock.observe(1'510'000, 1'509'600, 1'511'000, 1'516'000);
  CHECK_EQUAL(clock.unixNs(1'510'000), 1'510'000 + (400 + 3'500) / 2);
}

/// What was known an hour ago holds to 50 millionths of an hour, 180 ms: a narrow batch counts more than that.
void driftIsFollowed() {
  DeviceClock clock;
  clock.observe(0 + kSecond, kSecond + 10, kSecond + 20, kSecond + 30);
  const std::int64_t later = kSecond + kHour;
  // By then the GPU's clock is 100 ms ahead.
  const std::uint64_t device = static_cast<std::uint64_t>(later) + 100'000'000;
  clock.observe(later - 2'000, device, device, later + 2'000);
  CHECK_EQUAL(clock.unixNs(device), later);
}

/// A host's clock that is set back by a second is believed, though no drift explains it.
void stepsAreFollowed() {
  DeviceClock clock;
  clock.observe(10 * kSecond, 500, 600, 10 * kSecond + 1'000);
  clock.observe(9 * kSecond, 2'500, 2'600, 9 * kSecond + 1'000);
  // 9 s − 2,500 … 9 s + 1,000 − 2,600, the middle 9 s − 2,050.
  CHECK_EQUAL(clock.unixNs(2'550), 9 * kSecond + 500);
}

/// Times of a batch stay between the host's.
void staysInside() {
  DeviceClock clock;
  std::int64_t host = kSecond;
  for (int batch = 0; batch < 1'000; ++batch, host += 7'000'000) {
    // The GPU's clock runs 20 millionths too fast.
    const auto device = [&](std::int64_t at) { return static_cast<std::uint64_t>(at + at / 50'000); };
    clock.observe(host, device(host + 10'000), device(host + 150'000), host + 190'000);
    CHECK(clock.unixNs(device(host + 10'000)) >= host);
    CHECK(clock.unixNs(device(host + 150'000)) <= host + 190'000);
  }
}

}  // namespace

int main() {
  oneBatch();
  batchesNarrow();
  driftIsFollowed();
  stepsAreFollowed();
  staysInside();
  return finish();
}
