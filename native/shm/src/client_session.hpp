// The supervisor's end of a session: it owns all slots, sends requests and reads answers. JS thread only.
#pragma once

#include <napi.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frames.hpp"
#include "lease_socket.hpp"
#include "loop_watcher.hpp"
#include "ring.hpp"
#include "segment.hpp"
#include "slot_pool.hpp"

namespace roundhouse::shm {

struct SessionSettings {
  std::string socket_path;
  std::uint64_t ring_bytes = 0;
  std::vector<SlotClass> classes;
  // Payloads up to this size travel in the frame.
  std::uint64_t inline_bytes = 0;
  // What an empty pool may send in the frame instead.
  std::uint64_t most_inline_bytes = 0;
  // Answers of a slot up to this size are copied out at once.
  std::uint64_t copy_below_bytes = 0;
  // How long a caller may wait awake for an answer that is expected so soon.
  std::chrono::microseconds most_spin{0};
};

struct SlotMemory;

// What a view of JavaScript holds: the memory, and the lease that ends with the view at the latest.
struct ViewHold {
  std::shared_ptr<SlotMemory> memory;
  SlotRef lease;
};

// Memory and who holds which part of it: lives as long as its session and the last view of it.
struct SlotMemory {
  Segment segment;
  Layout layout;
  SlotPool pool;
  std::unordered_map<std::uint32_t, ViewHold*> views;
  // The view of a slot was detached: it holds the memory no longer, whenever the collector comes for it.
  void disarm(std::uint32_t slot) {
    const auto found = views.find(slot);
    if (found == views.end()) return;
    found->second->memory.reset();
    views.erase(found);
  }
  std::byte* at(SlotRef lease) const { return segment.data() + layout.slot_offset(lease.slot); }
};

struct ClientInput {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape;
  const std::byte* data;
  std::size_t size;
};

struct ClientRequest {
  InferFrame frame;
  std::vector<ClientInput> inputs;
  // The slot that the inputs lie in already, by a lease of before.
  SlotRef leased;
  // Room for outputs; up to the inline size they come in the answer's frame.
  std::uint64_t output_bytes = 0;
  bool inline_if_empty = false;
  // Set by `submit`: there are answers already, and no event will say so.
  bool answered = false;
};

enum class Submitted { in_slot, in_frame, in_frame_since_empty, pool_empty, ring_full, too_large };

class ClientSession {
 public:
  // Calls back with nothing when there are answers or the state changed.
  ClientSession(Napi::Env env, const SessionSettings& settings, std::function<void()> on_event);
  ~ClientSession();

  Submitted submit(ClientRequest& request);
  bool cancel(std::uint64_t id);
  // More room for outputs that an answer asked for.
  Submitted fetch(std::uint64_t id, std::uint64_t bytes);
  std::optional<SlotRef> lease(std::uint64_t bytes);
  bool give_back(SlotRef lease);

  // The next answer; the slots of its request are free but for the outputs' one, which `outputs_of` hands over.
  bool next_answer(Bytes& frame);
  bool settle(std::uint64_t id, SlotRef& output);

  // Null after the end, as soon as no slot is held.
  const std::shared_ptr<SlotMemory>& memory() const { return memory_; }
  std::uint64_t copy_below() const { return settings_.copy_below_bytes; }
  bool is_taken() const { return taken_; }
  const std::string& end_reason() const { return end_reason_; }
  bool is_ended() const { return ended_; }
  std::size_t in_flight() const { return flights_.size(); }
  void end(const std::string& reason);
  bool fall_asleep();

 private:
  struct Flight {
    SlotRef input;
    SlotRef output;
  };
  bool take_slots(ClientRequest& request, std::uint64_t bytes, bool in_frame, Flight& flight);
  void place_inputs(ClientRequest& request, std::uint64_t& total) const;
  void write_request(ClientRequest& request, const Flight& flight, bool in_frame);
  void on_socket();
  void on_answers();
  void hold_process();
  void drop_memory_if_idle();
  bool spin_for_answer();
  bool push(const Bytes& frame);

  SessionSettings settings_;
  std::shared_ptr<SlotMemory> memory_;
  OwnedFd request_event_;
  OwnedFd answer_event_;
  OwnedFd socket_;
  std::optional<RingProducer> requests_;
  std::optional<RingConsumer> answers_;
  std::unordered_map<std::uint64_t, Flight> flights_;
  std::function<void()> on_event_;
  std::unique_ptr<LoopWatcher> socket_watcher_;
  std::unique_ptr<LoopWatcher> answer_watcher_;
  Bytes scratch_;
  std::chrono::steady_clock::time_point sent_at_{};
  std::chrono::nanoseconds last_round_trip_{0};
  int spins_in_turn_ = 0;
  bool holding_ = false;
  bool taken_ = false;
  bool ended_ = false;
  std::string end_reason_;
};

}  // namespace roundhouse::shm
