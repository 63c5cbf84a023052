// What backends share of a GPU: turns in its phases, and its memory.
#include "../../cuda/sharing/memory_ledger.hpp"
#include "../../cuda/sharing/turn_line.hpp"
#include "check.hpp"

using namespace roundhouse::sharing;
using namespace roundhouse::test;

namespace {

char ends[16];
TurnLine::End end(int number) { return ends + number; }

struct Line {
  TurnLine line;
  std::uint64_t ids[16] = {};
  int next = 0;

  /// Numbers of the turns that the new one waits for.
  std::string begin(double demand) {
    std::string before;
    for (const TurnLine::End passed : line.begin(ids[next], demand, end(next))) {
      before += std::to_string(static_cast<char*>(passed) - ends) + " ";
    }
    ++next;
    return before;
  }
};

void wholeTurnsAreOneAfterTheOther() {
  Line line;
  CHECK_EQUAL(line.begin(1), "");
  CHECK_EQUAL(line.begin(1), "0 ");
  CHECK_EQUAL(line.begin(1), "0 1 ");
  line.line.leave(line.ids[0]);
  CHECK_EQUAL(line.begin(1), "1 2 ");
}

/// A quarter each: the fifth begins when the first has passed, while 1, 2 and 3 may run: 3/4 are taken.
void quartersShare() {
  Line line;
  for (int turn = 0; turn < 4; ++turn) CHECK_EQUAL(line.begin(0.25), "");
  CHECK_EQUAL(line.begin(0.25), "0 ");
  CHECK_EQUAL(line.begin(0.25), "0 1 ");
}

/// Ten tenths are a whole, though their sum in doubles is less.
void tenthsAreAWhole() {
  Line line;
  for (int turn = 0; turn < 10; ++turn) CHECK_EQUAL(line.begin(0.1), "");
  CHECK_EQUAL(line.begin(0.1), "0 ");
}

/// With 0.9 taken a whole one begins; behind it everything waits for both.
void whoFillsTheRestMayWantMore() {
  Line line;
  CHECK_EQUAL(line.begin(0.9), "");
  CHECK_EQUAL(line.begin(1), "");
  CHECK_EQUAL(line.begin(0.1), "0 1 ");
  // 0.1 is in the line in front; 0 and 1 have to pass all the same.
  CHECK_EQUAL(line.begin(0.1), "0 1 ");
}

void leavingTwiceIsNothing() {
  Line line;
  line.begin(1);
  line.line.leave(line.ids[0]);
  line.line.leave(line.ids[0]);
  line.line.leave(77);
  CHECK_EQUAL(line.line.size(), 0u);
  CHECK_EQUAL(line.begin(1), "");
}

void memoryIsBoundedForEachGpu() {
  MemoryLedger ledger(1000);
  CHECK(ledger.reserve(0, 600));
  CHECK(!ledger.reserve(0, 401));
  CHECK(ledger.reserve(1, 1000));
  CHECK(ledger.reserve(0, 400));
  CHECK(!ledger.reserve(0, 1));
  // More than a 64-bit sum holds.
  CHECK(!ledger.reserve(0, UINT64_MAX));
  ledger.release(0, 400);
  const auto uses = ledger.uses();
  CHECK_EQUAL(uses.size(), 2u);
  CHECK_EQUAL(uses[0].bytes, 600u);
  CHECK_EQUAL(uses[0].peak, 1000u);
  CHECK_EQUAL(uses[0].limit, 1000u);
  CHECK_EQUAL(uses[0].refusals, 3u);
  CHECK_EQUAL(uses[1].bytes, 1000u);
  CHECK_EQUAL(uses[1].refusals, 0u);
}

void whatIsHeldIsGivenBackOnce() {
  MemoryLedger ledger(0);
  CHECK(ledger.reserve(2, UINT64_MAX / 2));
  CHECK(ledger.reserve(2, 8));
  ledger.hold(ends, 2, 8);
  ledger.forget(ends);
  ledger.forget(ends);
  ledger.forget(nullptr);
  CHECK_EQUAL(ledger.uses()[0].bytes, UINT64_MAX / 2);
  ledger.noteArena(2, 64);
  ledger.noteLeased(2, 48);
  ledger.noteLeased(2, 16);
  CHECK_EQUAL(ledger.uses()[0].arena, 64u);
  CHECK_EQUAL(ledger.uses()[0].arenaPeak, 48u);
}

}  // namespace

int main() {
  wholeTurnsAreOneAfterTheOther();
  quartersShare();
  tenthsAreAWhole();
  whoFillsTheRestMayWantMore();
  leavingTwiceIsNothing();
  memoryIsBoundedForEachGpu();
  whatIsHeldIsGivenBackOnce();
  return finish();
}
