// The way out of a session: what the core has done, as answers in the ring.
#include <algorithm>

#include "engine_session.hpp"

namespace roundhouse {
namespace {

using shm::Bytes;
using shm::FrameKind;

// Outputs that found no room in a slot go in the answer itself up to this size.
constexpr std::uint64_t kMostInFrame = 64 * 1024;
// Of outputs that a peer doesn't fetch.
constexpr std::uint64_t kMostUnfetchedBytes = 256 << 20;

}  // namespace

void EngineSession::on_complete(Inference* inference) noexcept {
  auto* flight = static_cast<SessionFlight*>(inference);
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
  SessionFlight& flight = *found->second;
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
  fail_of_core(key, code, message, remaining_ms);
}

// Outputs that don't fit anywhere wait for the slot that the caller fetches them with.
void EngineSession::finish_with_outputs(Flights::iterator found) {
  SessionFlight& flight = *found->second;
  const std::vector<OutputTensor> outputs = wanted_outputs(flight);
  const OutputBytes bytes = bytes_of(flight, outputs);
  if (bytes.outside > std::min<std::uint64_t>(kMostInFrame, layout_.ring_bytes() / 4)) {
    shm::write_grow(scratch_, flight.key, bytes.total);
    keep_for_fetch(flight, bytes.total);
    return send(scratch_);
  }
  send(result_frame(flight, outputs));
  drop(found);
}

void EngineSession::keep_for_fetch(SessionFlight& flight, std::uint64_t bytes) {
  flight.unfetched = bytes;
  unfetched_bytes_ += bytes;
  if (unfetched_bytes_ > kMostUnfetchedBytes) give_up();
}

// The service thread ends the session.
void EngineSession::give_up() {
  broken_ = true;
  links_.poke();
}

void EngineSession::drop(Flights::iterator found) {
  SessionFlight& flight = *found->second;
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

void EngineSession::fail_of_core(std::uint64_t key, const std::string& code, const std::string& message,
                                 std::int64_t remaining_ms) {
  const bool is_refusal = code == "ENGINE_BUSY" || code == "DEADLINE_EXCEEDED";
  fail(key, is_refusal, code, message, false, remaining_ms);
}

void EngineSession::send(const Bytes& frame) {
  if (answers_.push(frame) || broken_) return;
  if (!answers_.wait(frame)) return give_up();
  if (answers_.waiting() == 1) links_.poke();
}

void EngineSession::flush() {
  const std::lock_guard lock(mutex_);
  answers_.flush();
}

}  // namespace roundhouse
