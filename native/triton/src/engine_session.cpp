#include "engine_session.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "failure.hpp"
#include "request_parameters.hpp"
#include "tensor_check.hpp"

namespace roundhouse {
namespace {

using shm::Bytes;
using shm::FrameKind;
using shm::ShmFailure;

// Outputs that found no room in a slot go in the answer itself up to this size.
constexpr std::uint64_t kMostInFrame = 64 * 1024;
// What a peer may let lie: answers that it doesn't read, outputs that it doesn't fetch, events without requests.
constexpr std::uint64_t kMostBacklogBytes = 16 << 20;
constexpr std::uint64_t kMostUnfetchedBytes = 256 << 20;
constexpr int kMostIdleWakes = 10'000;

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Of admission; the codes are those of the error table.
bool is_refusal(const std::string& code) { return code == "ENGINE_BUSY" || code == "DEADLINE_EXCEEDED"; }

shm::TensorPlace place_of(const OutputTensor& output) {
  return {output.name, output.datatype, output.shape, 0, output.size, false};
}

}  // namespace

EngineSession::EngineSession(shm::SessionFds fds, SessionLinks links)
    : fds_(std::move(fds)),
      links_(std::move(links)),
      segment_(shm::Segment::adopt(std::move(fds_.segment))),
      layout_(shm::Layout::read(segment_.data(), segment_.bytes())),
      requests_(segment_.data() + shm::Layout::request_control(), segment_.data() + shm::Layout::request_ring(),
                layout_.ring_bytes(), fds_.request_event.get()),
      answers_(segment_.data() + shm::Layout::answer_control(), segment_.data() + layout_.answer_ring(),
               layout_.ring_bytes(), fds_.answer_event.get()),
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
  auto flight = std::make_unique<Flight>();
  Flight& started = *flight;
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

bool EngineSession::take(const shm::InferFrame& frame, std::unique_ptr<Flight> flight) {
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

std::vector<InputTensor> EngineSession::inputs_of(const Flight& flight,
                                                  const std::vector<shm::TensorPlace>& places) const {
  std::vector<InputTensor> inputs;
  inputs.reserve(places.size());
  for (const shm::TensorPlace& tensor : places) {
    const bool good = tensor.in_frame ? shm::lies_in(flight.frame, tensor)
                                      : layout_.holds(flight.input.slot, tensor.offset, tensor.length);
    if (!good) throw TritonFailure("INVALID_ARG", "inputs \"" + tensor.name + "\": its bytes lie outside of the slot");
    const std::byte* base =
        tensor.in_frame ? flight.frame.data() : segment_.data() + layout_.slot_offset(flight.input.slot);
    inputs.push_back({tensor.name, tensor.datatype, tensor.shape, base + tensor.offset, tensor.length});
  }
  return inputs;
}

// Without the mutex: the core may complete a request before it returns, on this very thread. The flight may be
// gone then.
void EngineSession::start(Flight& flight, RequestSpec spec, const std::vector<shm::TensorPlace>& inputs) {
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
    spec.inputs = inputs_of(flight, inputs);
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
    fail(key, is_refusal(failure.code), failure.code, failure.what(), false, failure.remaining_ms);
  }
}

bool EngineSession::stays_in_core(Flight& flight, Withdrawal why) {
  if (flight.over) return false;
  if (!links_.server->take_back(flight, why)) return true;
  links_.counts->in_core.fetch_sub(1);
  return false;
}

void EngineSession::cancel(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = flights_.find(key);
  if (found == flights_.end()) return;
  Flight& flight = *found->second;
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
  Flight& flight = *found->second;
  if (!flight.over) throw ShmFailure("PEER_INVALID", "a fetch before the outputs are there");
  if (!ledger_.claim(frame.output)) throw ShmFailure("PEER_INVALID", "a stale lease of a slot");
  ledger_.let_go(flight.output);
  flight.output = frame.output;
  std::vector<OutputTensor> outputs = wanted_outputs(flight);
  std::byte* base = segment_.data() + layout_.slot_offset(frame.output.slot);
  std::uint64_t used = 0;
  for (OutputTensor& output : outputs) {
    used = shm::aligned_up(used);
    if (!layout_.holds(frame.output.slot, used, output.size)) {
      throw ShmFailure("PEER_INVALID", "a slot for outputs that is too small");
    }
    if (output.size > 0) std::memcpy(base + used, output.data, output.size);
    output.data = base + used;
    used += output.size;
  }
  flight.arena = base;
  flight.arena_size = layout_.slot_bytes(frame.output.slot);
  answer_result(flight, outputs);
  drop(found);
}

void EngineSession::on_complete(Inference* inference) noexcept {
  auto* flight = static_cast<Flight*>(inference);
  const std::shared_ptr<EngineSession> self = flight->session;
  const std::shared_ptr<DataPlaneCounts> counts = links_.counts;
  {
    const std::lock_guard lock(mutex_);
    links_.server->end_request(*flight);
    try {
      finish(flights_.find(flight->key));
    } catch (const std::exception&) {
      give_up();
    }
  }
  counts->in_core.fetch_sub(1);
}

void EngineSession::finish(Flights::iterator found) {
  Flight& flight = *found->second;
  const std::uint64_t key = flight.key;
  flight.over = true;
  if (ended_) return drop(found);
  if (flight.answered) {
    drop(found);
    shm::write_id(scratch_, FrameKind::released, key);
    return send(scratch_);
  }
  if (flight.error_code.empty()) return finish_with_outputs(found);
  const std::string code = flight.error_code;
  const std::string message = flight.error_message;
  const std::int64_t remaining_ms = flight.remaining_ms;
  drop(found);
  fail(key, is_refusal(code), code, message, false, remaining_ms);
}

// Outputs that don't fit anywhere wait for the slot that the caller fetches them with.
void EngineSession::finish_with_outputs(Flights::iterator found) {
  Flight& flight = *found->second;
  const std::vector<OutputTensor> outputs = wanted_outputs(flight);
  std::uint64_t total = 0;
  std::uint64_t outside = 0;
  for (const OutputTensor& output : outputs) {
    total = shm::aligned_up(total) + output.size;
    if (output.size > 0 && !flight.in_arena(output.data)) outside += shm::aligned_up(output.size);
  }
  if (outside > std::min<std::uint64_t>(kMostInFrame, layout_.ring_bytes() / 4)) {
    shm::write_grow(scratch_, flight.key, total);
    keep_for_fetch(flight, total);
    return send(scratch_);
  }
  answer_result(flight, outputs);
  drop(found);
}

void EngineSession::keep_for_fetch(Flight& flight, std::uint64_t bytes) {
  flight.unfetched = bytes;
  unfetched_bytes_ += bytes;
  if (unfetched_bytes_ > kMostUnfetchedBytes) give_up();
}

// The service thread ends the session.
void EngineSession::give_up() {
  broken_ = true;
  links_.poke();
}

// Backends may give more outputs than were asked for.
std::vector<OutputTensor> EngineSession::wanted_outputs(const Flight& flight) const {
  std::vector<OutputTensor> outputs;
  for (const OutputTensor& output : flight.outputs) {
    const bool wanted = flight.wanted.empty() ||
                        std::find(flight.wanted.begin(), flight.wanted.end(), output.name) != flight.wanted.end();
    if (wanted) outputs.push_back(output);
  }
  return outputs;
}

// The description has the same length whatever the offsets are: it is written twice, with data in between.
void EngineSession::answer_result(Flight& flight, const std::vector<OutputTensor>& outputs) {
  shm::ResultFrame result{flight.key, flight.model_version, {}};
  for (const OutputTensor& output : outputs) {
    shm::TensorPlace place = place_of(output);
    place.in_frame = output.size > 0 && !flight.in_arena(output.data);
    if (output.size > 0 && !place.in_frame) place.offset = static_cast<std::uint64_t>(output.data - flight.arena);
    result.outputs.push_back(std::move(place));
  }
  Bytes frame;
  shm::write_result(frame, result);
  bool any = false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!result.outputs[i].in_frame) continue;
    result.outputs[i].offset = shm::append_data(frame, outputs[i].data, outputs[i].size);
    any = true;
  }
  if (any) {
    shm::write_result(scratch_, result);
    std::memcpy(frame.data(), scratch_.data(), scratch_.size());
  }
  send(frame);
}

void EngineSession::drop(Flights::iterator found) {
  Flight& flight = *found->second;
  ledger_.let_go(flight.input);
  ledger_.let_go(flight.output);
  unfetched_bytes_ -= flight.unfetched;
  if (flight.deadline_ms != kNoDeadline) deadlines_.erase({flight.deadline_ms, flight.key});
  flights_.erase(found);
}

void EngineSession::fail(std::uint64_t key, bool of_table, const std::string& code, const std::string& message,
                         bool kept, std::int64_t remaining_ms) {
  if (of_table) links_.counts->refused.fetch_add(1, std::memory_order_relaxed);
  shm::write_failed(scratch_, {key, kept, of_table, code, message.substr(0, 4096), remaining_ms});
  send(scratch_);
}

void EngineSession::send(const Bytes& frame) {
  if (backlog_.empty() && answers_.push(frame)) return;
  if (broken_) return;
  backlog_bytes_ += frame.size();
  if (backlog_bytes_ > kMostBacklogBytes || !answers_.could_hold(frame.size())) return give_up();
  backlog_.push_back(frame);
  if (backlog_.size() == 1) links_.poke();
}

void EngineSession::flush() {
  const std::lock_guard lock(mutex_);
  while (!backlog_.empty() && answers_.push(backlog_.front())) {
    backlog_bytes_ -= backlog_.front().size();
    backlog_.pop_front();
  }
}

int EngineSession::next_wait_ms() {
  const std::lock_guard lock(mutex_);
  if (!backlog_.empty()) return 1;
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
    Flight& flight = *found->second;
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
  backlog_.clear();
  for (auto next = flights_.begin(); next != flights_.end();) {
    const auto found = next++;
    if (!stays_in_core(*found->second, Withdrawal::cancelled)) drop(found);
  }
}

}  // namespace roundhouse
