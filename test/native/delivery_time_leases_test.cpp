// What running TensorRT plans needs of the CPU: parameters, batch sizes, leases of activations, limits of accuracy.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accuracy_limit.hpp"
#include "check.hpp"
#include "error_of.hpp"
#include "error.hpp"
#include "lease_book.hpp"
#include "network_settings.hpp"
#include "profiles.hpp"

namespace {

using roundhouse::test::errorOf;
using namespace roundhouse;
using namespace roundhouse::delivery_time;
using namespace roundhouse::delivery_time::gpu;

void checkProfiles() {
  CHECK(parseProfiles("256 2048") == (Profiles{256, 2048}));
  CHECK_EQUAL(textOf(Profiles{1, 65'536}), "1 65536");
  for (const char* text : {"", "0", "5 5", "9 3", "x", "3 x", "-1", "2000000", "1 2 3 4 5 6 7 8 9"}) {
    const std::string expected = std::string("MODEL_FAILED: the batch sizes '") + text + "' are not 1 to 8 ascending";
    CHECK_THAT(errorOf([&] { parseProfiles(text); }).starts_with(expected), text);
  }
  const Profiles profiles{256, 2'048, 65'536};
  CHECK_EQUAL(profileFor(profiles, 1), 0U);
  CHECK_EQUAL(profileFor(profiles, 256), 0U);
  CHECK_EQUAL(profileFor(profiles, 257), 1U);
  CHECK_EQUAL(profileFor(profiles, 65'536), 2U);
  // 150,000 = 2 × 65,536 + 18,928.
  CHECK_EQUAL(nextPiece(profiles, 150'000), 65'536U);
  CHECK_EQUAL(nextPiece(profiles, 150'000 - 2 * 65'536), 18'928U);
  CHECK_EQUAL(paddedRows(1, 256), 8U);
  CHECK_EQUAL(paddedRows(8, 256), 8U);
  CHECK_EQUAL(paddedRows(9, 256), 16U);
  CHECK_EQUAL(paddedRows(129, 256), 256U);
  CHECK_EQUAL(paddedRows(70, 100), 100U);
  CHECK_EQUAL(paddedRows(1, 4), 4U);
}

NetworkSettings settingsFrom(const std::map<std::string, std::string>& given) {
  return networkSettingsOf([&](const char* key, const std::string& otherwise) {
    const auto found = given.find(key);
    return found == given.end() ? otherwise : found->second;
  });
}

void checkSettings() {
  const NetworkSettings usual = settingsFrom({});
  CHECK(!usual.precision && usual.graphs && usual.sharedArena && usual.library.empty() && usual.planFolder.empty());
  CHECK(usual.profiles == (Profiles{256, 2'048, 16'384, 65'536}) && usual.callGraphRows == 16'384);
  CHECK_EQUAL(usual.planLevel, 3);
  const NetworkSettings all = settingsFrom({{"precision", "tf32"}, {"batch_sizes", "256 65536"}, {"graphs", "false"},
                                            {"graph_rows", "0"}, {"shared_arena", "false"}, {"tensorrt", "/lib/x"},
                                            {"plan_folder", "/plans"}, {"plan_level", "0"}});
  CHECK(all.precision == Precision::tf32 && all.profiles == (Profiles{256, 65'536}) && !all.graphs && !all.sharedArena);
  CHECK(all.callGraphRows == 0 && all.library == "/lib/x" && all.planFolder == "/plans");
  CHECK_EQUAL(all.planLevel, 0);
  const std::map<std::string, std::vector<std::string>> refused = {
      {"precision", {"fp8", "FP32", " "}}, {"batch_sizes", {"2 1", "all"}}, {"graphs", {"on", ""}},
      {"graph_rows", {"", "-1", "1e3", "10000000"}}, {"shared_arena", {"0", "True"}},
      {"plan_level", {"", "6", "-1", "03"}}};
  for (const auto& [key, values] : refused) {
    for (const std::string& value : values) {
      const std::string error = errorOf([&] { settingsFrom({{key, value}}); });
      CHECK_THAT(error.starts_with("MODEL_FAILED: the ") && error.find("'" + value + "'") != std::string::npos, error);
    }
  }
}

void checkLeases() {
  LeaseBook book;
  CHECK(errorOf([&] { book.take(1); }).starts_with("MODEL_FAILED: a call needs 512 bytes"));
  book.addChunk(2048);
  const auto one = book.take(1000), two = book.take(1024);
  CHECK(one && two && one->offset == 0 && two->offset == 1024 && one->bytes == 1024);
  CHECK(one->after.empty() && two->after.empty());
  CHECK(!book.take(1));
  // Closed bytes are taken over, behind their lease; open ones never.
  book.close(two->id);
  const auto three = book.take(512);
  CHECK(three && three->offset == 1024 && three->after == std::vector{two->id});
  const auto four = book.take(512);
  CHECK(four && four->offset == 1536 && four->after == std::vector{two->id});
  CHECK(!book.take(512));
  book.drop(two->id);
  book.close(one->id);
  book.close(three->id);
  // 0…1,536 is free behind one and three; the place that waits for the older of two is better.
  CHECK(book.take(1536)->after == (std::vector{one->id, three->id}));
  CHECK(book.closed() == (std::vector{one->id, three->id}));
  CHECK(errorOf([&] { book.take(2050); }).starts_with("MODEL_FAILED: a call needs 2560 bytes of activations, the arena has "
                                                      "2048"));
}

void checkOldestLeaseFirst() {
  LeaseBook book;
  book.addChunk(1536);
  const auto one = book.take(512), two = book.take(512), three = book.take(512);
  book.close(two->id);
  book.close(one->id);
  book.close(three->id);
  CHECK(book.take(512)->after == std::vector{one->id});
  book.drop(three->id);
  CHECK(book.take(512)->offset == 1024);
  book.addChunk(4096);
  CHECK_EQUAL(book.largestChunk(), 4096U);
  CHECK_EQUAL(book.bytes(), 1536U + 4096U);
  const auto large = book.take(2048);
  CHECK(large->chunk == 1 && large->offset == 0 && large->after.empty());
}

void checkLeasesAgain() {
  LeaseBook book;
  book.addChunk(2048);
  const auto one = book.take(1024);
  CHECK(!book.reopen(one->id, 1024));
  book.close(one->id);
  CHECK(!book.reopen(one->id, 1025) && !book.reopen(99, 1));
  CHECK(book.reopen(one->id, 700));
  CHECK_EQUAL(book.lease(one->id).offset, 0U);
  // Open again: its bytes are nobody else's.
  CHECK(book.take(1024)->offset == 1024 && !book.take(512));
  book.close(one->id);
  // Taken over by another, open or closed, it is not opened again, though it is still held.
  const auto two = book.take(512);
  CHECK(two->offset == 0 && two->after == std::vector{one->id});
  CHECK(!book.reopen(one->id, 1024));
  book.close(two->id);
  CHECK(!book.reopen(one->id, 1024));
  book.drop(two->id);
  CHECK(book.reopen(one->id, 1024));
  book.close(one->id);
  book.drop(one->id);
  CHECK(!book.reopen(one->id, 1024));
}

/// Random takes, closes and drops: bytes of leases that don't wait for each other never overlap.
void checkRandomLeases() {
  LeaseBook book;
  book.addChunk(4'096);
  book.addChunk(8'192);
  struct Held {
    LeaseBook::Lease lease;
    bool open;
  };
  std::vector<Held> held;
  std::uint32_t state = 7;
  const auto random = [&](std::uint32_t below) { return (state = state * 1'664'525 + 1'013'904'223) / 65'536 % below; };
  int shared = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto lease = random(3) > 0 ? book.take(1 + random(6'000)) : std::nullopt;
    if (lease) {
      for (const Held& other : held) {
        const bool apart = other.lease.chunk != lease->chunk || other.lease.offset >= lease->offset + lease->bytes ||
                           other.lease.offset + other.lease.bytes <= lease->offset;
        const bool waits = std::find(lease->after.begin(), lease->after.end(), other.lease.id) != lease->after.end();
        if (!apart) CHECK(waits && !other.open);
        shared += !apart;
      }
      held.push_back({*lease, true});
      continue;
    }
    if (held.empty()) continue;
    const std::size_t at = random(static_cast<std::uint32_t>(held.size()));
    if (held[at].open) {
      book.close(held[at].lease.id);
      held[at].open = false;
    } else if (random(4) == 0 && book.reopen(held[at].lease.id, 1)) {
      for (std::size_t other = 0; other < held.size(); ++other) {
        const LeaseBook::Lease &a = held[at].lease, &b = held[other].lease;
        CHECK(other == at || a.chunk != b.chunk || a.offset >= b.offset + b.bytes || b.offset >= a.offset + a.bytes);
      }
      held[at].open = true;
    } else {
      book.drop(held[at].lease.id);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  CHECK(shared > 100);
}

void checkLimits() {
  const Columns columns{};
  std::vector<float> expected(8, 1000.0f), found = expected;
  expected[6] = found[6] = expected[7] = found[7] = 1.0f;
  CHECK(deviation(columns, expected, found).isWithin());
  CHECK_EQUAL(deviation(columns, expected, found).worst, 0.0f);
  // 0.5 s and a thousandth of 1,000 s: 1.5 s.
  found[2] = 1001.4f;
  CHECK(deviation(columns, expected, found).isWithin());
  found[2] = 998.4f;
  const Deviation seconds = deviation(columns, expected, found);
  CHECK(!seconds.isWithin());
  CHECK_EQUAL(seconds.text, "column 2: 998.400024, not 1000.000000 (row 0)");
  found = expected;
  // 0.001 and a thousandth of 1.
  found[7] = 1.0019f;
  CHECK(deviation(columns, expected, found).isWithin());
  found[7] = 1.0021f;
  CHECK(!deviation(columns, expected, found).isWithin());
}

void checkLimitsOfOddValues() {
  const Columns columns{3, 2};
  // Five thousandths of the column's largest and one of the value: 1 + 0.001 for column 1.
  std::vector<float> expected{1, 200, 1, 1}, found = expected;
  found[3] = 1.99f;
  CHECK(deviation(columns, expected, found).isWithin());
  found[3] = 2.01f;
  CHECK(!deviation(columns, expected, found).isWithin());
  const float infinite = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  for (const float odd : {infinite, -infinite, none}) {
    found = expected;
    found[0] = odd;
    CHECK(!deviation(columns, expected, found).isWithin());
    CHECK(!deviation(columns, found, expected).isWithin());
    CHECK(deviation(columns, found, found).isWithin());
  }
  const std::vector<float> rows = rowsToCompare({}, 4'096);
  std::size_t legs = 0;
  for (std::size_t row = 0; row < 4'096; ++row) {
    const float* values = &rows[row * kFeatures];
    const bool leg = values[0] == 1.0f;
    legs += leg;
    CHECK(leg == (values[15] + values[16] + values[17] + values[18] == 1.0f));
  }
  CHECK(legs > 400 && legs < 700);
}

}  // namespace

int main() {
  checkProfiles();
  checkSettings();
  checkLeases();
  checkOldestLeaseFirst();
  checkLeasesAgain();
  checkRandomLeases();
  checkLimits();
  checkLimitsOfOddValues();
  return test::finish();
}
