#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "memory_ledger.hpp"
#include "turn_line.hpp"

/// What the backends of a process share about its GPUs. Backends are libraries of their own, with code of their own, so this
/// is one library that all of them load (libroundhouse_sharing.so beside their folders).
#define ROUNDHOUSE_SHARED __attribute__((visibility("default")))

namespace roundhouse::sharing {

/// Phases in which shards take turns.
enum class Phase : std::int32_t { etr = 0, planning = 1 };
constexpr int kPhases = 2;

/// The environment says at the first call how much the backends may take: ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES of each GPU.
ROUNDHOUSE_SHARED bool reserveMemory(int device, std::uint64_t bytes);
ROUNDHOUSE_SHARED void releaseMemory(int device, std::uint64_t bytes);
ROUNDHOUSE_SHARED void holdMemory(const void* memory, int device, std::uint64_t bytes);
ROUNDHOUSE_SHARED HeldMemory forgetMemory(const void* memory);
ROUNDHOUSE_SHARED void noteArena(int device, std::uint64_t bytes);
ROUNDHOUSE_SHARED void noteLeased(int device, std::uint64_t bytes);
/// 0: none.
ROUNDHOUSE_SHARED std::uint64_t memoryLimit();

/// ROUNDHOUSE_PHASE_TURNS is `on`.
ROUNDHOUSE_SHARED bool takesTurns();
/// Locks the line of a phase of a GPU until `endTurn`, which whoever begins a turn calls once its work and the end behind it
/// are enqueued. Returns the ends that its work has to wait for.
ROUNDHOUSE_SHARED std::vector<TurnLine::End> beginTurn(int device, Phase phase, double demand, TurnLine::End end,
                                                       std::uint64_t& id);
ROUNDHOUSE_SHARED void endTurn(int device, Phase phase);
/// Its work has passed; before its end is used for another turn.
ROUNDHOUSE_SHARED void leaveLine(int device, Phase phase, std::uint64_t id);

}  // namespace roundhouse::sharing

/// For the addon, which finds it by name: fills in up to `most` and returns how many GPUs there are.
extern "C" ROUNDHOUSE_SHARED std::int32_t roundhouse_gpu_memory(roundhouse::sharing::MemoryUse* uses, std::int32_t most);
