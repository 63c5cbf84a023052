// The requests that wait for one model, and how many of it are in the core. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "admission.hpp"

namespace roundhouse {

// The shortest time that one of a model's last 64 to 128 requests spent in the core.
class ShortestTime {
 public:
  void observe(std::int64_t ns);
  // 0 before the first 64.
  std::int64_t ns() const { return earlier_ == kUnbounded ? 0 : std::min(earlier_, current_); }

 private:
  static constexpr int kObservations = 64;
  std::int64_t earlier_ = kUnbounded;
  std::int64_t current_ = kUnbounded;
  int count_ = 0;
};

class ModelLine {
 public:
  ModelLine(std::string_view model, std::int64_t most_running) : model_(model), most_running_(most_running) {}

  const std::string& model() const { return model_; }
  bool empty() const { return heap_.empty(); }
  bool has_room() const { return running_ < most_running_; }
  bool idle() const { return running_ == 0 && empty(); }

  void join(Ticket& ticket);
  void leave(Ticket& ticket);
  // By priority, then deadline, then arrival; but the oldest where it was passed over too often.
  Ticket& first() const { return passed_over_ >= kMostPassedOver ? *oldest_ : *heap_.front(); }
  const Ticket& oldest() const { return *oldest_; }
  // `first` has its turn: it leaves the line.
  void serve(Ticket& ticket);

  void start() { ++running_; }
  void end() { --running_; }
  ShortestTime& shortest() { return shortest_; }

 private:
  void place(Ticket* ticket, std::size_t at) {
    heap_[at] = ticket;
    ticket->heap_place = at;
  }
  void rise(std::size_t at);
  void sink(std::size_t at);

  std::string model_;
  std::int64_t most_running_;
  std::int64_t running_ = 0;
  int passed_over_ = 0;
  std::vector<Ticket*> heap_;
  Ticket* oldest_ = nullptr;
  Ticket* newest_ = nullptr;
  ShortestTime shortest_;
};

// Whether `a` comes before `b` in a line.
bool comes_before(const Ticket& a, const Ticket& b);

}  // namespace roundhouse
