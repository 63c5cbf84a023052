// Models end when no thread of the core is near them any more, under any traffic.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core_api.hpp"

namespace roundhouse {

// Requests of a model from one load or unload of it to the next hold one. Nobody looks inside.
class ModelUse {};
using ModelTicket = std::shared_ptr<const ModelUse>;

// The core deletes a model with its last reference, on the spot. The thread that has just run a request or a load
// may still be putting its instance back into a list that the deletion reads: a crash (docs/engine.md). So we hold
// a reference of our own to every version that a load or an unload may take out of service: a request that is never
// sent. It is let go when every request that was begun before is over and every thread has slept since.
class ModelRetirement {
 public:
  explicit ModelRetirement(const CoreApi& api) : api_(api) {}
  ~ModelRetirement();
  ModelRetirement(const ModelRetirement&) = delete;
  ModelRetirement& operator=(const ModelRetirement&) = delete;

  // Any thread; taken before the core is asked for the model, given back after its request was deleted.
  ModelTicket enter(const std::string& model);

  // Runs `change`, a load or an unload of `model`, holding what it replaces. One at a time.
  void around(TRITONSERVER_Server* server, const std::string& model, const std::function<void()>& change);

  // Lets everything go as soon as its threads have slept, not waiting for requests. No `around` may follow.
  void finish();
  // Replaced versions that are still held.
  std::size_t held();

 private:
  using Clock = std::chrono::steady_clock;
  struct Retired {
    ModelTicket use;
    std::vector<TRITONSERVER_InferenceRequest*> references;
  };
  std::vector<TRITONSERVER_InferenceRequest*> hold(TRITONSERVER_Server* server, const std::string& model);
  void retire(const std::string& model, std::vector<TRITONSERVER_InferenceRequest*> references);
  void run();
  std::vector<Retired> take_unused();
  static void wait_for_threads();
  void let_go(const Retired& retired);

  const CoreApi& api_;
  std::mutex changing_;
  std::mutex uses_mutex_;
  std::unordered_map<std::string, ModelTicket> uses_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Retired> retired_;
  std::size_t letting_go_ = 0;
  bool finishing_ = false;
  std::thread thread_;
};

}  // namespace roundhouse
