// The toolchain's TritonCore in this process, for tests and benches in C++: models of a repository, called with buffers
// of the caller's in any memory.
//
//   TritonHost host({.repository = "models", .backends = "build/cuda/backends"});
//   host.load("delivery_time");
//   auto call = host.call("delivery_time", {{"features", TRITONSERVER_TYPE_FP32, {64, 20}, memory, bytes, kDevice}},
//                         {{"quantiles", out, outBytes, kPinned}});
//   call->infer();   // or start() and wait(), again and again
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core_api.hpp"

namespace roundhouse::test {

/// What the core is told of a buffer.
struct MemoryKind {
  TRITONSERVER_MemoryType type = TRITONSERVER_MEMORY_CPU;
  std::int64_t id = 0;
};
constexpr MemoryKind kPageable{TRITONSERVER_MEMORY_CPU, 0};
constexpr MemoryKind kPinned{TRITONSERVER_MEMORY_CPU_PINNED, 0};
constexpr MemoryKind kDevice{TRITONSERVER_MEMORY_GPU, 0};

/// The caller's, read until the call has ended.
struct CallInput {
  std::string name;
  TRITONSERVER_DataType datatype;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;
  std::size_t bytes = 0;
  MemoryKind memory{};
};

/// The caller's, written until the call has ended. A call fails where an output is larger.
struct CallOutput {
  std::string name;
  void* data = nullptr;
  std::size_t capacity = 0;
  MemoryKind memory{};
};

class Call;

/// One a process. Any thread.
class TritonHost {
 public:
  struct Settings {
    std::filesystem::path repository;
    std::filesystem::path backends;
    /// libtritonserver.so; '' = that of the folder ROUNDHOUSE_TOOLCHAIN_DIR, or of the toolchain of the build. Where its
    /// libraries have no run path, LD_LIBRARY_PATH must name their folder.
    std::string core{};
    /// GPUs below are not used; 99: none is.
    double minComputeCapability = 6.0;
    bool logInfo = false;
  };

  /// '' where there is no core.
  static std::string findCore();

  explicit TritonHost(const Settings& settings);
  /// Unloads everything and stops; calls must have ended. Threads of the core may outlive it (finish_and_exit).
  ~TritonHost();
  TritonHost(const TritonHost&) = delete;
  TritonHost& operator=(const TritonHost&) = delete;

  /// These throw TritonFailure with the core's code and message.
  void load(const std::string& model);
  void unload(const std::string& model);
  /// How long a waiting caller keeps its core; above that it sleeps. Many callers that spin take the instances' cores.
  void setSpin(std::chrono::microseconds spin) { spin_.store(spin.count()); }
  /// JSON, as the core gives it.
  std::string config(const std::string& model);
  std::string statistics(const std::string& model);

  /// A call that can be made again and again; it is gone before its host.
  std::unique_ptr<Call> call(const std::string& model, const std::vector<CallInput>& inputs,
                             const std::vector<CallOutput>& outputs, std::int64_t version = -1);

 private:
  friend class Call;
  void stop();

  const CoreApi& api_;
  TRITONSERVER_Server* server_ = nullptr;
  TRITONSERVER_ResponseAllocator* allocator_ = nullptr;
  std::set<std::string> loaded_;
  std::atomic<std::int64_t> spin_{2'000};
};

/// One at a time is under way: start, wait, start, …
class Call {
 public:
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void start();
  /// Until the answer is in the outputs and the inputs are free. Throws TritonFailure where the request failed.
  void wait();
  void infer() {
    start();
    wait();
  }
  /// Any thread, while it is under way.
  void cancel();
  /// True when `wait` would not wait.
  bool ended() const { return open_.load(std::memory_order_acquire) == 0; }

  /// Of the last answer.
  const std::vector<std::int64_t>& shape(std::size_t output) const { return answers_.at(output).shape; }
  std::size_t bytes(std::size_t output) const { return answers_.at(output).bytes; }

 private:
  friend class TritonHost;
  struct Answer {
    std::vector<std::int64_t> shape;
    std::size_t bytes = 0;
  };

  Call(TritonHost& host, const std::string& model, std::int64_t version, const std::vector<CallInput>& inputs,
       const std::vector<CallOutput>& outputs);
  void endOne() noexcept;
  void read(TRITONSERVER_InferenceResponse* response);
  std::size_t indexOf(const char* name) const;

  static TRITONSERVER_Error* allocate(TRITONSERVER_ResponseAllocator*, const char*, std::size_t, TRITONSERVER_MemoryType,
                                      std::int64_t, void*, void**, void**, TRITONSERVER_MemoryType*, std::int64_t*);
  static TRITONSERVER_Error* release(TRITONSERVER_ResponseAllocator*, void*, void*, std::size_t, TRITONSERVER_MemoryType,
                                     std::int64_t);
  static void onResponse(TRITONSERVER_InferenceResponse*, std::uint32_t, void*);
  static void onRelease(TRITONSERVER_InferenceRequest*, std::uint32_t, void*);

  TritonHost& host_;
  TRITONSERVER_InferenceRequest* request_ = nullptr;
  std::vector<CallOutput> outputs_;
  std::vector<Answer> answers_;
  /// Callbacks that are still to come: of the response and of the release.
  std::atomic<int> open_{0};
  std::unique_ptr<TritonFailure> failure_;
};

}  // namespace roundhouse::test
