// A TritonCore server: options, models, requests, and a stop that leaves no thread behind.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "admission.hpp"
#include "core_api.hpp"
#include "inference.hpp"
#include "model_retirement.hpp"
#include "parameter.hpp"

namespace roundhouse {

struct ServerSettings {
  std::string core_library;
  std::string server_id;
  std::string model_repository;
  std::string backend_directory;
  std::string repo_agent_directory;
  std::string cache_directory;
  double min_compute_capability = 6.0;
  unsigned exit_timeout_seconds = 5;
  unsigned load_threads = 1;
  std::string python_region_prefix;  // of shared memory that the Python backend makes; empty: its own
  AdmissionLimits admission{};
};

struct RequestSpec {
  std::string model;
  std::int64_t version = -1;  // -1: the model's version policy decides
  std::string request_id;
  std::vector<InputTensor> inputs;
  std::vector<std::string> outputs;  // empty: all
  // For the backend.
  std::vector<shm::Parameter> parameters{};
  // For admission; the core never sees them.
  std::uint64_t priority = 0;  // 0: the default, 1: the highest, larger: lower
  std::uint64_t timeout_us = 0;  // 0: none
  std::int64_t deadline_ms = kNoDeadline;  // Unix

  // The sooner of the two. The timeout begins now.
  std::int64_t end_ms() const;
};

// Threads: submit, cancel and take_completed belong to the JS thread; the calls about models and those of requests
// with a sink may come from any thread; `wake` is called, by any thread, when the list of completions stops being
// empty.
class Server {
 public:
  static std::shared_ptr<Server> start(const ServerSettings& settings, std::function<void()> wake);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool is_live();
  bool is_model_ready(const std::string& model, std::int64_t version);
  std::string server_metadata();
  std::string model_metadata(const std::string& model, std::int64_t version);
  std::string model_config(const std::string& model, std::int64_t version);
  std::string model_statistics(const std::string& model, std::int64_t version);
  std::string repository_index();
  // nv_inference_* and the like, in Prometheus' text format.
  std::string metrics();
  void load_model(const std::string& model);
  void unload_model(const std::string& model);

  // Any thread, for an inference with a sink. Starts it, or puts it into the queue. Throws as `submit` does; the sink
  // may be called before it returns.
  void start_request(Inference& inference, const RequestSpec& spec);
  // For a request that isn't over yet; the caller sees to that. True: it waited, and is the caller's again, the sink
  // is not called. False: it is cancelled in the core, and its end is told as any.
  bool take_back(Inference& inference, Withdrawal why);
  // Once, by the sink.
  void end_request(Inference& inference);
  // Into the core's log.
  void warn(const std::string& text) const;
  const Admission& admission() const { return admission_; }
  // Models whose process of the Python backend has ended since the last call, with what their requests said of it.
  std::map<std::string, std::string> take_broken_models();
  // Requests whose buffers the core has, from either way in.
  std::int64_t open_requests() const { return open_requests_.load(std::memory_order_acquire); }

  // Gives the request its id. Throws TritonFailure where the core refuses it, or admission (ENGINE_BUSY,
  // DEADLINE_EXCEEDED); then nothing of it stays.
  std::uint32_t submit(std::unique_ptr<Inference> inference, const RequestSpec& spec);
  // False for an id that isn't in flight.
  bool cancel(std::uint32_t id, Withdrawal why = Withdrawal::cancelled);
  void cancel_all();
  std::size_t in_flight() const { return in_flight_.size(); }
  std::vector<std::unique_ptr<Inference>> take_completed();

  // Refuses new work, cancels what runs, unloads everything, waits, stops and deletes the server. `pump` is
  // called while it waits: whoever blocks the JS thread retires completions there, since a request that
  // isn't deleted keeps its model. Returns the reason when the core didn't stop in time, else an empty string.
  std::string stop(const std::function<void()>& pump);
  // The core is deleted: nothing of it uses this any more.
  bool is_deleted() const { return server_ == nullptr; }
  void refuse_new_work() { stopping_ = true; }
  // Waits until no request is open, calling `pump` meanwhile, at most the exit timeout.
  void drain(const std::function<void()>& pump);

 private:
  Server(const CoreApi& api, std::function<void()> wake, const AdmissionLimits& limits)
      : api_(api), wake_(std::move(wake)), retirement_(api), admission_(limits) {}
  std::shared_lock<std::shared_timed_mutex> running();
  std::string call_json(const std::function<TRITONSERVER_Error*(TRITONSERVER_Message**)>& call);
  void build_request(Inference& inference, const RequestSpec& spec);
  void set_parameters(TRITONSERVER_InferenceRequest* request, const RequestSpec& spec);
  bool lock_for_stop(std::unique_lock<std::shared_timed_mutex>& lock, const std::function<void()>& pump);
  void wait_until_unloaded(const std::function<void()>& pump);
  std::string end_core();
  // Whether it may start now; throws where it is refused.
  bool admit(Inference& inference, const RequestSpec& spec);
  std::int64_t most_running(const std::string& model, std::int64_t version);
  // They waited, and made room for a more urgent one.
  void refuse(Ticket* displaced) noexcept;
  // What the core takes for a version, -1 where that can't be said.
  std::int64_t served_version(const std::string& model, std::int64_t version);
  // Where the message of a failed request says that the process of its model has ended.
  void note_broken(const Inference& inference) noexcept;
  // Throws where the core refuses it. The inference may be gone afterwards.
  void launch(Inference& inference);
  void start_waiting() noexcept;
  void start_turn(const Admission::Turn& turn) noexcept;
  void complete(Inference* inference) noexcept;
  void hand_over(Inference* inference) noexcept;
  void cancel_in_core(Inference& inference);
  void delete_request(Inference& inference) noexcept;

  static TRITONSERVER_Error* allocate(TRITONSERVER_ResponseAllocator*, const char*, std::size_t,
                                      TRITONSERVER_MemoryType, std::int64_t, void*, void**, void**,
                                      TRITONSERVER_MemoryType*, std::int64_t*);
  static TRITONSERVER_Error* release(TRITONSERVER_ResponseAllocator*, void*, void*, std::size_t,
                                     TRITONSERVER_MemoryType, std::int64_t);
  static void on_response(TRITONSERVER_InferenceResponse*, std::uint32_t, void*);
  static void on_release(TRITONSERVER_InferenceRequest*, std::uint32_t, void*);

  const CoreApi& api_;
  std::function<void()> wake_;
  TRITONSERVER_Server* server_ = nullptr;
  TRITONSERVER_ResponseAllocator* allocator_ = nullptr;
  unsigned exit_timeout_seconds_ = 5;
  std::atomic<bool> stopping_{false};
  // Shared: calls into a running server. Unique: its end.
  std::shared_timed_mutex lifecycle_;
  // A load that fails while an older one of the same version serves leaves a record that the core counts as a model
  // for ever: its stop never succeeds then, though nothing is loaded.
  std::atomic<bool> counts_the_gone_{false};
  ModelRetirement retirement_;
  Admission admission_;
  std::mutex models_mutex_;
  std::set<std::string> loaded_;
  std::uint32_t next_id_ = 0;
  std::unordered_map<std::uint32_t, std::unique_ptr<Inference>> in_flight_;
  // Requests whose callbacks haven't both come.
  std::atomic<std::int64_t> open_requests_{0};
  std::mutex broken_mutex_;
  std::map<std::string, std::string> broken_models_;
  std::mutex completed_mutex_;
  std::vector<Inference*> completed_;
};

}  // namespace roundhouse
