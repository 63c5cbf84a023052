// Travel between the places of a shard: roots and quotients put right in integers, quanta, factors, matrices.
#include "bound_shard.hpp"
#include "check.hpp"
#include "shard_fixture.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::candidate_cost;
using test::Bound;
using test::faultOf;
using test::ShardFixture;

void checkCeilSqrt() {
  for (uint64_t root = 1; root < 3000; ++root) {
    CHECK(ceilSqrt(root * root) == root && ceilSqrt(root * root + 1) == root + 1);
  }
  CHECK_EQUAL(ceilSqrt(0), 0u);
  // Around large squares, which doubles do not hold: r² − 1 and r² have root r, r² + 1 has r + 1.
  for (uint64_t root = 3037000499u; root > 1000000000u; root -= 1234577u) {
    CHECK_EQUAL(ceilSqrt(root * root - 1), root);
    CHECK_EQUAL(ceilSqrt(root * root), root);
    CHECK_EQUAL(ceilSqrt(root * root + 1), root + 1);
  }
  // Two corners of the coordinate square: 2^31·√2 = 3,037,000,499.97… metres.
  CHECK_EQUAL(ceilSqrt((uint64_t{1} << 62) * 2), 3037000500u);
}

// Just below, at and above multiples, where a quotient in doubles rounds up to the next whole number.
void checkQuotients() {
  constexpr int64_t kMost = (int64_t{1} << 53) - 1;
  for (int64_t divisor = 1; divisor < kMost / 3; divisor = divisor * 7 / 3 + 1) {
    for (int64_t times = 1; times <= kMost / divisor - 1; times = times * 5 / 2 + 3) {
      CHECK_EQUAL(quotientByDoubles(times * divisor - 1, divisor), times - 1);
      CHECK_EQUAL(quotientByDoubles(times * divisor, divisor), times);
      CHECK_EQUAL(quotientByDoubles(times * divisor + divisor - 1, divisor), times);
    }
    CHECK_EQUAL(quotientByDoubles(kMost, divisor), kMost / divisor);
  }
  CHECK_EQUAL(quotientByDoubles(0, 7), 0);
}

// MDRP: 320 m/min = 19,200 m/h and whole minutes: 641 m take 2.003 min, so 3 min.
void checkQuantumAndFactor() {
  ShardFixture shard;
  shard.params[layout::Param::quantumSeconds] = 60;
  for (int vehicle = 0; vehicle < 4; ++vehicle) shard.params[layout::Param::metresPerHour + vehicle] = 19200;
  shard.places[2 * layout::PLACE_COLUMNS] = 641;
  CHECK_EQUAL(Bound(shard).problem(0).travel[0][1], 180);
  shard.places[2 * layout::PLACE_COLUMNS] = 640;
  Bound bound(shard);
  CHECK_EQUAL(bound.problem(0).travel[0][1], 120);
  bound.travel.factorPerMille[1] = 1501;  // 2 min · 1.501 = 3.002 min
  CHECK_EQUAL(bound.problem(0).travel[0][1], 240);
}

void checkMatrix() {
  ShardFixture shard;
  shard.params[layout::Param::travelKind] = 1;
  for (int place = 0; place < 8; ++place) shard.places[place * 3 + 2] = place % 2;
  const int32_t matrix[] = {0, 70, 90, 5};
  const Bound bound(shard, matrix, 2);
  const auto problem = bound.problem(0);  // places 0, 2, 4: zone 0 throughout
  CHECK_EQUAL(problem.travel[0][1], 0);
  const auto held = bound.problem(2);  // places 1, 6, 3, 7: zones 1, 0, 1, 1
  CHECK_EQUAL(held.travel[0][1], 90);
  CHECK_EQUAL(held.travel[1][2], 70);
  CHECK_EQUAL(held.travel[2][3], 5);
  CHECK_EQUAL(faultOf(shard, 1), "places row 1, column zone: 1 is no zone of the travel matrix");
}

}  // namespace

int main() {
  checkCeilSqrt();
  checkQuotients();
  checkQuantumAndFactor();
  checkMatrix();
  return test::finish();
}
