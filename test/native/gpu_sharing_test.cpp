// What backends share of a GPU: turns in its phases, and its memory.
#include <cstdlib>

#include "../../cuda/sharing/shared_gpus.hpp"
#include "check.hpp"
#include "gpu_memory.hpp"

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

/// Bytes are there for others when they are released, not when they are forgotten: the GPU has them until then.
void whatIsHeldIsGivenBackOnce() {
  MemoryLedger ledger(0);
  CHECK(ledger.reserve(2, UINT64_MAX / 2));
  CHECK(ledger.reserve(2, 8));
  ledger.hold(ends, 2, 8);
  const HeldMemory held = ledger.forget(ends);
  CHECK_EQUAL(held.device, 2);
  CHECK_EQUAL(held.bytes, 8u);
  CHECK_EQUAL(ledger.uses()[0].bytes, UINT64_MAX / 2 + 8);
  ledger.release(held.device, held.bytes);
  CHECK_EQUAL(ledger.uses()[0].bytes, UINT64_MAX / 2);
  CHECK_EQUAL(ledger.forget(ends).bytes, 0u);
  CHECK_EQUAL(ledger.forget(nullptr).bytes, 0u);
  // Nothing is released, and no GPU 0 appears for it.
  ledger.release(0, 0);
  CHECK_EQUAL(ledger.uses().size(), 1u);
  ledger.noteArena(2, 64);
  ledger.noteLeased(2, 48);
  ledger.noteLeased(2, 16);
  CHECK_EQUAL(ledger.uses()[0].arena, 64u);
  CHECK_EQUAL(ledger.uses()[0].arenaPeak, 48u);
}

/// As the backends and the addon use it: both find the one library of the process.
void theLibraryTellsTheAddon() {
  CHECK_EQUAL(roundhouse::gpu_memory_uses("/nowhere").size(), 0u);
  CHECK_EQUAL(roundhouse::gpu_memory_uses(BACKENDS).size(), 0u);
  CHECK_EQUAL(memoryLimit(), 1000u);
  CHECK(reserveMemory(1, 900));
  CHECK(!reserveMemory(1, 101));
  noteArena(1, 512);
  noteLeased(1, 256);
  const auto uses = roundhouse::gpu_memory_uses(BACKENDS);
  if (!CHECK(uses.size() == 1)) return;
  CHECK_EQUAL(uses[0].device, 1);
  CHECK_EQUAL(uses[0].bytes, 900u);
  CHECK_EQUAL(uses[0].limit, 1000u);
  CHECK_EQUAL(uses[0].arena, 512u);
  CHECK_EQUAL(uses[0].arena_peak, 256u);
  CHECK_EQUAL(uses[0].refusals, 1u);
}

/// Lines are by GPU and phase; a turn that has left is waited for by nobody.
void linesAreTheGpus() {
  CHECK(takesTurns());
  std::uint64_t first = 0, second = 0;
  CHECK(beginTurn(0, Phase::etr, 1, end(1), first).empty());
  endTurn(0, Phase::etr);
  CHECK(beginTurn(0, Phase::planning, 1, end(2), second).empty());
  endTurn(0, Phase::planning);
  CHECK(beginTurn(1, Phase::etr, 1, end(3), second).empty());
  endTurn(1, Phase::etr);
  CHECK_EQUAL(beginTurn(0, Phase::etr, 1, end(4), second).size(), 1u);
  endTurn(0, Phase::etr);
  leaveLine(0, Phase::etr, first);
  leaveLine(0, Phase::etr, second);
  CHECK(beginTurn(0, Phase::etr, 1, end(5), first).empty());
  endTurn(0, Phase::etr);
}

}  // namespace

int main() {
  setenv("ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES", "1000", 1);
  setenv("ROUNDHOUSE_PHASE_TURNS", "on", 1);
  wholeTurnsAreOneAfterTheOther();
  quartersShare();
  tenthsAreAWhole();
  whoFillsTheRestMayWantMore();
  leavingTwiceIsNothing();
  memoryIsBoundedForEachGpu();
  whatIsHeldIsGivenBackOnce();
  theLibraryTellsTheAddon();
  linesAreTheGpus();
  return finish();
}
