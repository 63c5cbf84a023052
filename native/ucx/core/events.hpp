// What the progress thread has to tell its owner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace roundhouse::ucx {

using Bytes = std::vector<std::byte>;

// The numbers are those of bindings.ts.
enum class EventKind : std::uint8_t { request = 1, message, sent, received, closed };

struct Event {
  EventKind kind;
  std::uint64_t id = 0;          // of the request, message, send or connection
  std::uint64_t connection = 0;  // of a message
  std::uint64_t bytes = 0;       // of a message's data
  bool waits = false;            // the data wait for `receive` or `drop`
  std::string text;              // a request's address; why something failed, empty where it didn't
  Bytes header;
  Bytes data;
};

// The producer collects and publishes; `notify` is called on its thread when the first event of a batch is there.
class EventQueue {
 public:
  explicit EventQueue(std::function<void()> notify) : notify_(std::move(notify)) {}

  void push(Event&& event) { collected_.push_back(std::move(event)); }

  void publish() {
    if (collected_.empty()) return;
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = published_.empty();
      for (Event& event : collected_) published_.push_back(std::move(event));
    }
    collected_.clear();
    if (first) notify_();
  }

  std::vector<Event> take() {
    const std::lock_guard lock(mutex_);
    takes_.fetch_add(1, std::memory_order_relaxed);
    return std::exchange(published_, {});
  }

  // How often events were taken: what was pushed since the last time waits.
  std::uint64_t takes() const { return takes_.load(std::memory_order_relaxed); }

 private:
  std::function<void()> notify_;
  std::vector<Event> collected_;
  std::mutex mutex_;
  std::vector<Event> published_;
  std::atomic<std::uint64_t> takes_{0};
};

}  // namespace roundhouse::ucx
