// One request under way: what it reads from, where its outputs go, and what came back.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "admission.hpp"
#include "core_api.hpp"
#include "model_retirement.hpp"

namespace roundhouse {

class Server;
struct Inference;

// Who is told that both callbacks of a request came, on a thread of the core. It calls Server::end_request and
// owns the inference.
class CompletionSink {
 public:
  virtual void on_complete(Inference* inference) noexcept = 0;

 protected:
  ~CompletionSink() = default;
};

struct InputTensor {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape;
  const void* data;
  std::size_t size;
  // Page-locked: a GPU reads it without staging.
  bool pinned = false;
};

struct OutputTensor {
  std::string name;
  const char* datatype;
  std::vector<std::int64_t> shape;
  const std::byte* data;
  std::size_t size;
};

// Fields are written by the submitting thread before the request is handed over, by the thread that starts it and the
// core's until both callbacks came (`open_callbacks` 0), and after that by the JS thread, which deletes it, or by the
// sink.
struct Inference : Ticket {
  std::uint32_t id = 0;
  Server* server = nullptr;
  TRITONSERVER_InferenceRequest* request = nullptr;
  CompletionSink* sink = nullptr;  // none: the JS thread
  // Until the core's request is deleted.
  ModelTicket model_use;

  // The caller's output buffer. What doesn't fit goes into blocks of our own.
  std::byte* arena = nullptr;
  std::size_t arena_size = 0;
  std::size_t arena_used = 0;
  bool arena_pinned = false;
  std::vector<std::unique_ptr<std::byte[]>> overflow;
  std::vector<std::unique_ptr<std::byte[]>> aligned_inputs;

  // The response, the release, and the thread that hands it to the core.
  std::atomic<int> open_callbacks{3};
  bool answered = false;
  std::string error_code;
  std::string error_message;
  std::int64_t remaining_ms = -1;  // to the deadline of one that was refused; negative: none
  std::string model_version;
  std::vector<OutputTensor> outputs;

  // Room for an output, 64-byte aligned where it comes from the arena.
  std::byte* place(std::size_t size);
  // `data`, or a copy of it that is aligned for every type: slices of a message begin anywhere.
  const void* aligned(const void* data, std::size_t size);
  bool in_arena(const std::byte* data) const { return data >= arena && data < arena + arena_size; }
  void fail(const char* code, std::string message, std::int64_t remaining = -1);
  // Takes the response over. Never throws.
  void read_response(const CoreApi& api, TRITONSERVER_InferenceResponse* response) noexcept;

 private:
  void read_outputs(const CoreApi& api, TRITONSERVER_InferenceResponse* response);
};

}  // namespace roundhouse
