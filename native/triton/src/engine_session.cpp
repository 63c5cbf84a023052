#include "engine_session.hpp"

#include <algorithm>
#include <chrono>

#include "failure.hpp"
#include "request_parameters.hpp"
#include "tensor_check.hpp"

namespace roundhouse {
namespace {

using shm::Bytes;
using shm::FrameKind;
using shm::ShmFailure;

// Events without requests that a peer may send in a row.
constexpr int kMostIdleWakes = 10'000;

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

EngineSession::EngineSession(shm::SessionFds fds, SessionLinks links)
    : fds_(std::move(fds)),
      links_(std::move(links)),
      segment_(shm::Segment::adopt(std::move(fds_.segment))),
      layout_(shm::Layout::read(segment_.data(), segment_.bytes())),
      requests_(segment_.data() + shm::Layout::request_control(), segment_.data() + shm::Layout::request_ring(),
                layout_.ring_bytes(), fds_.request_event.get()),
      answers_({segment_.data() + shm::Layout::answer_control(), segment_.data() + layout_.answer_ring(),
                layout_.ring_bytes(), fds_.answer_event.get()}),
      ledger_(layout_.slot_count()) {
  segment_.close_fd();
  if (links_.pins) pin();
}

// The session serves meanwhile. What the thread needs outlives it: it is joined with `pinned_`.
void EngineSession::pin() {
  const auto told = [this](const std::string& failure) {
    if (failure.empty()) {
      links_.counts->pinned_sessions.fetch_add(1);
    } else if (links_.counts->unpinned_sessions.fetch_add(1) == 0) {
      links_.server->warn("slots can't be locked for the GPU and are copied instead: " + failure);
    }
  };
  pinned_ = std::make_unique<PinnedMemory>(segment_.data(), segment_.bytes(), told);
}

void EngineSession::wake_up() {
  requests_.wake_up();
  if (++idle_wakes_ > kMostIdleWakes) throw ShmFailure("PEER_INVALID", "events without requests");
}

int EngineSession::read_requests(int most) {
  Bytes frame;
  int count = 0;
  for (; count < most && requests_.pop(frame); ++count) {
    switch (shm::kind_of(frame)) {
      case FrameKind::infer:
        infer(std::move(frame));
        frame = Bytes();
        break;
      case FrameKind::cancel:
        cancel(shm::read_id(frame));
        break;
      case FrameKind::fetch:
        fetch(shm::read_fetch(frame));
        break;
      default:
        throw ShmFailure("PEER_INVALID", "a frame of an unknown kind");
    }
  }
  if (count > 0) idle_wakes_ = 0;
  return count;
}

void EngineSession::infer(Bytes bytes) {
  shm::InferFrame frame = shm::read_infer(bytes);
  links_.counts->requests.fetch_add(1, std::memory_order_relaxed);
  RequestSpec spec{std::move(frame.model), frame.version, std::move(frame.request_id), {}, frame.outputs};
  if (frame.deadline_ms != 0) spec.deadline_ms = frame.deadline_ms;
  auto flight = std::make_unique<SessionFlight>();
  SessionFlight& started = *flight;
  started.key = frame.id;
  started.session = shared_from_this();
  started.sink = this;
  started.input = frame.input;
  started.output = frame.output;
  started.frame = std::move(bytes);
  started.wanted = std::move(frame.outputs);
  try {
    take_parameters(spec, std::move(frame.parameters));
  } catch (const TritonFailure& failure) {
    const std::lock_guard lock(mutex_);
    return fail(frame.id, false, failure.code, failure.what());
  }
  started.deadline_ms = spec.end_ms();
  if (take(frame, std::move(flight))) start(started, std::move(spec), frame.inputs);
}

bool EngineSession::take(const shm::InferFrame& frame, std::unique_ptr<SessionFlight> flight) {
  const std::lock_guard lock(mutex_);
  if (flights_.count(frame.id) != 0) throw ShmFailure("PEER_INVALID", "a request with the number of another");
  if (!claim_slots(frame)) {
    fail(frame.id, true, "PAYLOAD_INVALID", "a stale lease of a slot");
    return false;
  }
  if (flight->deadline_ms != kNoDeadline) deadlines_.emplace(flight->deadline_ms, frame.id);
  flights_.emplace(frame.id, std::move(flight));
  return true;
}

// A lease that was used before, or is in use, is refused; so the two requests can't share memory.
bool EngineSession::claim_slots(const shm::InferFrame& frame) {
  if (!frame.input.none() && !ledger_.claim(frame.input)) return false;
  if (frame.output.none() || ledger_.claim(frame.output)) return true;
  if (!frame.input.none()) ledger_.let_go(frame.input);
  return false;
}

// Without the mutex: the core may complete a request before it returns, on this very thread. The flight may be
// gone then.
void EngineSession::start(SessionFlight& flight, RequestSpec spec, const std::vector<shm::TensorPlace>& inputs) {
  if (!flight.output.none()) {
    flight.arena = segment_.data() + layout_.slot_offset(flight.output.slot);
    flight.arena_size = layout_.slot_bytes(flight.output.slot);
    flight.arena_pinned = is_pinned(flight.arena, flight.arena_size);
  }
  const std::uint64_t key = flight.key;
  spec.timeout_us = 0;
  spec.deadline_ms = flight.deadline_ms;
  links_.counts->in_core.fetch_add(1);
  try {
    spec.inputs = inputs_of(flight, inputs, segment_.data(), layout_);
    check_inputs(spec.inputs);
    for (InputTensor& input : spec.inputs) {
      input.data = flight.aligned(input.data, input.size);
      input.pinned = is_pinned(input.data, input.size);
    }
    links_.server->start_request(flight, spec);
  } catch (const TritonFailure& failure) {
    links_.counts->in_core.fetch_sub(1);
    const std::lock_guard lock(mutex_);
    drop(flights_.find(key));
    fail_of_core(key, failure.code, failure.what(), failure.remaining_ms);
  }
}

bool EngineSession::stays_in_core(SessionFlight& flight, Withdrawal why) {
  if (flight.over) return false;
  if (!links_.server->take_back(flight, why)) return true;
  links_.counts->in_core.fetch_sub(1);
  return false;
}

void EngineSession::cancel(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = flights_.find(key);
  if (found == flights_.end()) return;
  SessionFlight& flight = *found->second;
  // Its deadline passed here first: it is cancelled already.
  if (flight.answered) return;
  if (stays_in_core(flight, Withdrawal::cancelled)) {
    flight.answered = true;
    return;
  }
  drop(found);
  shm::write_id(scratch_, FrameKind::released, key);
  send(scratch_);
}

void EngineSession::fetch(const shm::FetchFrame& frame) {
  const std::lock_guard lock(mutex_);
  const auto found = flights_.find(frame.id);
  if (found == flights_.end()) return;
  SessionFlight& flight = *found->second;
  if (!flight.over) throw ShmFailure("PEER_INVALID", "a fetch before the outputs are there");
  if (!ledger_.claim(frame.output)) throw ShmFailure("PEER_INVALID", "a stale lease of a slot");
  ledger_.let_go(flight.output);
  flight.output = frame.output;
  std::vector<OutputTensor> outputs = wanted_outputs(flight);
  std::byte* base = segment_.data() + layout_.slot_offset(frame.output.slot);
  const std::uint64_t room = layout_.slot_bytes(frame.output.slot);
  if (!move_outputs(outputs, base, room)) throw ShmFailure("PEER_INVALID", "a slot for outputs that is too small");
  flight.arena = base;
  flight.arena_size = room;
  send(result_frame(flight, outputs));
  drop(found);
}

int EngineSession::next_wait_ms() {
  const std::lock_guard lock(mutex_);
  if (answers_.waiting() > 0) return 1;
  if (deadlines_.empty()) return -1;
  const std::int64_t left = deadlines_.begin()->first - now_ms();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void EngineSession::expire() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_ms();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto found = flights_.find(deadlines_.begin()->second);
    deadlines_.erase(deadlines_.begin());
    SessionFlight& flight = *found->second;
    if (flight.answered) continue;
    const std::uint64_t key = flight.key;
    const bool kept = stays_in_core(flight, Withdrawal::deadline);
    flight.answered = true;
    if (!kept) drop(found);
    fail(key, true, "DEADLINE_EXCEEDED", "the deadline passed in the engine", kept);
  }
}

void EngineSession::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  answers_.clear();
  for (auto next = flights_.begin(); next != flights_.end();) {
    const auto found = next++;
    if (!stays_in_core(*found->second, Withdrawal::cancelled)) drop(found);
  }
}

}  // namespace roundhouse
