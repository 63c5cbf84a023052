// A request of a session under way: where its tensors lie, and the frame that answers it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frames.hpp"
#include "inference.hpp"
#include "segment.hpp"
#include "slot_pool.hpp"

namespace roundhouse {

class EngineSession;

struct SessionFlight : Inference {
  std::uint64_t key = 0;
  std::shared_ptr<EngineSession> session;
  shm::SlotRef input;
  shm::SlotRef output;
  shm::Bytes frame;
  std::vector<std::string> wanted;
  std::uint64_t unfetched = 0;
  bool over = false;         // both callbacks came
  bool answered = false;     // early, or the caller gave it up
};

// The tensors at these places of its frame and its slot. Throws INVALID_ARG for one that lies outside.
std::vector<InputTensor> inputs_of(const SessionFlight& flight, const std::vector<shm::TensorPlace>& places,
                                   const std::byte* segment, const shm::Layout& layout);

// Backends may give more outputs than were asked for.
std::vector<OutputTensor> wanted_outputs(const SessionFlight& flight);

struct OutputBytes {
  std::uint64_t total = 0;
  // Of those that lie outside of the arena.
  std::uint64_t outside = 0;
};
OutputBytes bytes_of(const SessionFlight& flight, const std::vector<OutputTensor>& outputs);

// Moves them into `room`, one behind the other; false where it is too small.
bool move_outputs(std::vector<OutputTensor>& outputs, std::byte* room, std::uint64_t bytes);

// The answer with these outputs: data that lie outside of the arena go in the frame.
shm::Bytes result_frame(const SessionFlight& flight, const std::vector<OutputTensor>& outputs);

}  // namespace roundhouse
