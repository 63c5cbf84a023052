// One peer of the data plane: its segment, its requests under way, its answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "answer_line.hpp"
#include "lease_socket.hpp"
#include "pinned_memory.hpp"
#include "ring.hpp"
#include "segment.hpp"
#include "server.hpp"
#include "session_flight.hpp"
#include "slot_pool.hpp"

namespace roundhouse {

// Shared by the sessions of an engine.
struct DataPlaneCounts {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> broken_sessions{0};
  std::atomic<std::int64_t> in_core{0};
  // Sessions whose memory was locked for the GPUs, and those for which that failed.
  std::atomic<std::uint64_t> pinned_sessions{0};
  std::atomic<std::uint64_t> unpinned_sessions{0};
};

struct SessionLinks {
  std::shared_ptr<Server> server;
  std::shared_ptr<DataPlaneCounts> counts;
  // Makes the service thread look again; any thread.
  std::function<void()> poke;
  bool pins = false;
};

class EngineSession : public CompletionSink, public std::enable_shared_from_this<EngineSession> {
 public:
  // Throws ShmFailure for a segment that isn't what it should be.
  EngineSession(shm::SessionFds fds, SessionLinks links);

  int request_event() const { return fds_.request_event.get(); }

  // The rest belongs to the service thread. A throw means that the peer broke the protocol: end the session.
  // At most so many frames; how many there were.
  int read_requests(int most);
  // Throws where the peer wakes us again and again for nothing.
  void wake_up();
  bool fall_asleep() { return requests_.fall_asleep(); }
  bool has_request() const { return requests_.has_frame(); }
  // Milliseconds until the next deadline, or 1 while answers wait for room; -1: nothing to wait for.
  int next_wait_ms();
  void expire();
  void flush();
  bool is_broken() const { return broken_.load(); }
  // No answer goes out any more; memory goes when the core has let go of the last request.
  void end();

  void on_complete(Inference* inference) noexcept override;

 private:
  using Flights = std::unordered_map<std::uint64_t, std::unique_ptr<SessionFlight>>;

  void pin();
  bool is_pinned(const void* at, std::size_t bytes) const { return pinned_ && pinned_->holds(at, bytes); }
  void infer(shm::Bytes bytes);
  // False where it was refused.
  bool take(const shm::InferFrame& frame, std::unique_ptr<SessionFlight> flight);
  void start(SessionFlight& flight, RequestSpec spec, const std::vector<shm::TensorPlace>& inputs);
  bool claim_slots(const shm::InferFrame& frame);
  // Takes it back where it still waits, else cancels it: true while the core has it.
  bool stays_in_core(SessionFlight& flight, Withdrawal why);
  void cancel(std::uint64_t key);
  void fetch(const shm::FetchFrame& frame);

  // With the mutex held.
  void finish(Flights::iterator found);
  void finish_with_outputs(Flights::iterator found);
  void drop(Flights::iterator found);
  void fail(std::uint64_t key, bool of_table, const std::string& code, const std::string& message, bool kept = false,
            std::int64_t remaining_ms = -1);
  // Of admission, whose codes are those of the error table, or of the core.
  void fail_of_core(std::uint64_t key, const std::string& code, const std::string& message, std::int64_t remaining_ms);
  void send(const shm::Bytes& frame);
  void keep_for_fetch(SessionFlight& flight, std::uint64_t bytes);
  void give_up();

  shm::SessionFds fds_;
  SessionLinks links_;
  shm::Segment segment_;
  // Ends before the segment's mapping does.
  std::unique_ptr<PinnedMemory> pinned_;
  shm::Layout layout_;
  shm::RingConsumer requests_;
  int idle_wakes_ = 0;
  std::atomic<bool> broken_{false};

  std::mutex mutex_;
  AnswerLine answers_;
  shm::SlotLedger ledger_;
  Flights flights_;
  std::set<std::pair<std::int64_t, std::uint64_t>> deadlines_;
  std::uint64_t unfetched_bytes_ = 0;
  shm::Bytes scratch_;
  bool ended_ = false;
};

}  // namespace roundhouse
