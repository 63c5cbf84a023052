#include "shared_gpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace roundhouse::sharing {
namespace {

std::uint64_t limitOfEnvironment() {
  const char* text = std::getenv("ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

bool isIn(const char* variable, const char* value) {
  const char* text = std::getenv(variable);
  return text != nullptr && std::strcmp(text, value) == 0;
}

/// Never destroyed: backends give memory back at the very end of the process.
MemoryLedger& ledger() {
  static auto* const all = new MemoryLedger(limitOfEnvironment());
  return *all;
}

struct LockedLine {
  std::mutex mutex;
  TurnLine line;
};

LockedLine& lineOf(int device, Phase phase) {
  static auto* const mutex = new std::mutex;
  static auto* const lines = new std::map<int, LockedLine[kPhases]>;
  const std::lock_guard lock(*mutex);
  return (*lines)[device][static_cast<int>(phase)];
}

}  // namespace

bool reserveMemory(int device, std::uint64_t bytes) { return ledger().reserve(device, bytes); }
void releaseMemory(int device, std::uint64_t bytes) { ledger().release(device, bytes); }
void holdMemory(const void* memory, int device, std::uint64_t bytes) { ledger().hold(memory, device, bytes); }
HeldMemory forgetMemory(const void* memory) { return ledger().forget(memory); }
void noteArena(int device, std::uint64_t bytes) { ledger().noteArena(device, bytes); }
void noteLeased(int device, std::uint64_t bytes) { ledger().noteLeased(device, bytes); }
std::uint64_t memoryLimit() { return ledger().limit(); }

bool takesTurns() {
  static const bool takes = isIn("ROUNDHOUSE_PHASE_TURNS", "on");
  return takes;
}

std::vector<TurnLine::End> beginTurn(int device, Phase phase, double demand, TurnLine::End end, std::uint64_t& id) {
  LockedLine& own = lineOf(device, phase);
  own.mutex.lock();
  return own.line.begin(id, demand, end);
}

void endTurn(int device, Phase phase) { lineOf(device, phase).mutex.unlock(); }

void leaveLine(int device, Phase phase, std::uint64_t id) {
  LockedLine& own = lineOf(device, phase);
  const std::lock_guard lock(own.mutex);
  own.line.leave(id);
}

}  // namespace roundhouse::sharing

std::int32_t roundhouse_gpu_memory(roundhouse::sharing::MemoryUse* uses, std::int32_t most) {
  const auto all = roundhouse::sharing::ledger().uses();
  const auto count = std::min(static_cast<std::int32_t>(all.size()), most);
  for (std::int32_t index = 0; index < count; ++index) uses[index] = all[static_cast<std::size_t>(index)];
  return static_cast<std::int32_t>(all.size());
}
