#include "client_session.hpp"

#include <sched.h>

#include <cstring>

#include "failure.hpp"

namespace roundhouse::shm {
namespace {

constexpr int kMostSpinsInTurn = 16;

}  // namespace

ClientSession::ClientSession(Napi::Env env, const SessionSettings& settings, std::function<void()> on_event)
    : settings_(settings), on_event_(std::move(on_event)) {
  const Layout layout(settings.ring_bytes, settings.classes);
  memory_ = std::make_shared<SlotMemory>(SlotMemory{Segment::create(layout.total_bytes()), layout, SlotPool(layout), {}});
  std::byte* base = memory_->segment.data();
  layout.write(base);
  request_event_ = make_event();
  answer_event_ = make_event();
  requests_.emplace(base + Layout::request_control(), base + Layout::request_ring(), layout.ring_bytes(),
                    request_event_.get());
  answers_.emplace(base + Layout::answer_control(), base + layout.answer_ring(), layout.ring_bytes(),
                   answer_event_.get());
  socket_ = connect_to(settings.socket_path);
  send_offer(socket_.get(), memory_->segment.fd(), request_event_.get(), answer_event_.get());
  memory_->segment.close_fd();
  (void)answers_->fall_asleep();
  socket_watcher_ = std::make_unique<LoopWatcher>(env, socket_.get(), [this] { on_socket(); });
  answer_watcher_ = std::make_unique<LoopWatcher>(env, answer_event_.get(), [this] { on_answers(); });
}

ClientSession::~ClientSession() { end("closed"); }

void ClientSession::end(const std::string& reason) {
  if (ended_) return;
  ended_ = true;
  end_reason_ = reason;
  // libuv forgets the descriptors before they are closed.
  socket_watcher_.reset();
  answer_watcher_.reset();
  socket_.reset();
  request_event_.reset();
  answer_event_.reset();
  for (const auto& [id, flight] : flights_) {
    memory_->pool.give_back(flight.input);
    memory_->pool.give_back(flight.output);
  }
  flights_.clear();
  drop_memory_if_idle();
}

bool ClientSession::give_back(SlotRef lease) {
  if (!memory_ || !memory_->pool.give_back(lease)) return false;
  drop_memory_if_idle();
  return true;
}

void ClientSession::drop_memory_if_idle() {
  if (!ended_ || !memory_ || memory_->pool.held() > 0) return;
  requests_.reset();
  answers_.reset();
  memory_.reset();
}

void ClientSession::on_socket() {
  try {
    if (taken_) throw ShmFailure("PEER_INVALID", receive_reply(socket_.get()) ? "a second reply" : "the engine hung up");
    taken_ = receive_reply(socket_.get());
  } catch (const ShmFailure& failure) {
    end(failure.what());
  }
  on_event_();
}

void ClientSession::on_answers() {
  answers_->wake_up();
  spins_in_turn_ = 0;
  on_event_();
}

bool ClientSession::fall_asleep() { return ended_ || answers_->fall_asleep(); }

void ClientSession::hold_process() {
  if (ended_ || holding_ == !flights_.empty()) return;
  holding_ = !flights_.empty();
  answer_watcher_->hold_process(holding_);
}

// False where there is no room, or the engine broke the ring: then the session has ended.
bool ClientSession::push(const Bytes& frame) {
  try {
    return requests_->push(frame);
  } catch (const ShmFailure& failure) {
    end(failure.what());
    return false;
  }
}

// Inputs that a lease holds stay where they are; others get offsets one behind the other.
void ClientSession::place_inputs(ClientRequest& request, std::uint64_t& total) const {
  const std::byte* base = request.leased.none() ? nullptr : memory_->at(request.leased);
  total = 0;
  for (const ClientInput& input : request.inputs) {
    std::uint64_t offset = aligned_up(total);
    if (base != nullptr && input.size > 0) {
      // Addresses below the slot wrap around to offsets far above it.
      offset = reinterpret_cast<std::uintptr_t>(input.data) - reinterpret_cast<std::uintptr_t>(base);
      if (!memory_->layout.holds(request.leased.slot, offset, input.size)) {
        throw ShmFailure("INVALID_ARG", "an input lies outside of the lease that came with it");
      }
    }
    total = offset + input.size;
    request.frame.inputs.push_back({input.name, input.datatype, input.shape, offset, input.size, false});
  }
}

bool ClientSession::take_slots(ClientRequest& request, std::uint64_t bytes, bool in_frame, Flight& flight) {
  SlotPool& pool = memory_->pool;
  if (!request.leased.none()) flight.input = SlotPool::renewed(request.leased);
  else if (!in_frame) {
    const auto input = pool.take(bytes);
    if (!input) return false;
    flight.input = *input;
  }
  if (request.output_bytes <= settings_.inline_bytes) return true;
  const auto output = pool.take(request.output_bytes);
  if (output) flight.output = *output;
  // Without a slot small outputs come in the frame, others are fetched.
  if (output || request.inline_if_empty) return true;
  if (request.leased.none() && !flight.input.none()) pool.give_back(flight.input);
  return false;
}

// Its frame into the scratch buffer, and its inputs behind it or into their slot.
void ClientSession::write_request(ClientRequest& request, const Flight& flight, bool in_frame) {
  request.frame.input = flight.input;
  request.frame.output = flight.output;
  for (TensorPlace& tensor : request.frame.inputs) tensor.in_frame = in_frame;
  write_infer(scratch_, request.frame);
  if (in_frame) {
    const std::uint64_t base = aligned_up(scratch_.size());
    for (TensorPlace& tensor : request.frame.inputs) tensor.offset += base;
    write_infer(scratch_, request.frame);
    for (const ClientInput& input : request.inputs) append_data(scratch_, input.data, input.size);
  } else if (request.leased.none()) {
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
      const ClientInput& input = request.inputs[i];
      if (input.size > 0) std::memcpy(memory_->at(flight.input) + request.frame.inputs[i].offset, input.data, input.size);
    }
  }
}

Submitted ClientSession::submit(ClientRequest& request) {
  if (ended_ || !taken_) throw ShmFailure("SESSION_ENDED", "the session has ended");
  if (!request.leased.none() && !memory_->pool.is_held(request.leased)) {
    throw ShmFailure("STALE_LEASE", "the lease was given back");
  }
  std::uint64_t total = 0;
  place_inputs(request, total);
  const std::uint64_t largest = memory_->layout.largest_slot();
  if (total > largest || request.output_bytes > largest) return Submitted::too_large;
  bool in_frame = request.leased.none() && total <= settings_.inline_bytes;
  bool since_empty = false;
  Flight flight;
  if (!take_slots(request, total, in_frame, flight)) {
    if (!request.inline_if_empty || total > settings_.most_inline_bytes) return Submitted::pool_empty;
    in_frame = since_empty = true;
    if (!take_slots(request, total, true, flight)) return Submitted::pool_empty;
  }
  write_request(request, flight, in_frame);
  const bool fits = requests_->could_hold(scratch_.size());
  if (!fits || !push(scratch_)) {
    if (request.leased.none()) give_back(flight.input);
    give_back(flight.output);
    request.frame.inputs.clear();
    if (ended_) throw ShmFailure("SESSION_ENDED", end_reason_);
    return fits ? Submitted::ring_full : Submitted::too_large;
  }
  // The view of a lease that was sent ends some day, when the collector comes: it must not end the flight's.
  if (!request.leased.none()) memory_->pool.renew(request.leased);
  flights_.emplace(request.frame.id, flight);
  hold_process();
  request.answered = spin_for_answer();
  return since_empty ? Submitted::in_frame_since_empty : in_frame ? Submitted::in_frame : Submitted::in_slot;
}

// To sleep and be woken costs more than the rest of a small request: a caller with one request under way waits
// awake, but only where its last one was answered that soon, never longer, and only so often before the event loop
// gets its turn.
bool ClientSession::spin_for_answer() {
  if (flights_.size() != 1) return false;
  sent_at_ = std::chrono::steady_clock::now();
  if (last_round_trip_ > settings_.most_spin || spins_in_turn_ >= kMostSpinsInTurn) return false;
  answers_->stay_awake();
  do {
    if (answers_->has_frame()) {
      ++spins_in_turn_;
      return true;
    }
    sched_yield();
  } while (std::chrono::steady_clock::now() - sent_at_ < settings_.most_spin);
  return !answers_->fall_asleep();
}

bool ClientSession::cancel(std::uint64_t id) {
  if (ended_ || flights_.count(id) == 0) return false;
  write_id(scratch_, FrameKind::cancel, id);
  return push(scratch_);
}

Submitted ClientSession::fetch(std::uint64_t id, std::uint64_t bytes) {
  const auto found = flights_.find(id);
  if (ended_ || found == flights_.end()) throw ShmFailure("SESSION_ENDED", "no such request");
  if (bytes > memory_->layout.largest_slot()) return Submitted::too_large;
  const auto output = memory_->pool.take(bytes);
  if (!output) return Submitted::pool_empty;
  write_fetch(scratch_, {id, *output});
  if (!push(scratch_)) {
    give_back(*output);
    return Submitted::ring_full;
  }
  memory_->pool.give_back(found->second.output);
  found->second.output = *output;
  return Submitted::in_slot;
}

std::optional<SlotRef> ClientSession::lease(std::uint64_t bytes) {
  return ended_ ? std::nullopt : memory_->pool.take(bytes);
}

bool ClientSession::next_answer(Bytes& frame) { return !ended_ && answers_->pop(frame); }

bool ClientSession::settle(std::uint64_t id, SlotRef& output) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return false;
  memory_->pool.give_back(found->second.input);
  output = found->second.output;
  if (flights_.size() == 1) last_round_trip_ = std::chrono::steady_clock::now() - sent_at_;
  flights_.erase(found);
  hold_process();
  return true;
}

}  // namespace roundhouse::shm
