// The requests that wait for one model, those of it that are in the core, and what it does with them. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

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
  ModelLine(std::string_view model, std::int64_t version, std::uint64_t number, std::int64_t most_running)
      : model_(model), version_(version), number_(number), most_running_(most_running) {}

  const std::string& model() const { return model_; }
  std::int64_t version() const { return version_; }
  bool empty() const { return waiting_.empty(); }
  bool has_room() const { return running_ < most_running_; }
  bool idle() const { return running_ == 0 && empty(); }
  bool is_current() const { return current_; }
  void retire() { current_ = false; }

  void join(Ticket& ticket);
  void leave(Ticket& ticket);
  // By priority, then deadline, then arrival; but the oldest where it was passed over too often.
  Ticket& first() const { return passed_over_ >= kMostPassedOver ? *waiting_.oldest() : order_.front(); }
  Ticket& oldest() const { return *waiting_.oldest(); }
  // `first` has its turn: it leaves the line.
  void serve(Ticket& ticket);

  void start(Ticket& ticket);
  void end(Ticket& ticket, std::int64_t now_ns, Ended how);
  const ShortestTime& shortest() const { return shortest_; }
  ModelWork work(std::int64_t unix_ms) const;

 private:
  void observe(const Ticket& ticket, std::int64_t now_ns);

  std::string model_;
  std::int64_t version_;
  std::uint64_t number_;
  std::int64_t most_running_;
  bool current_ = true;
  int passed_over_ = 0;
  TicketHeap<&Ticket::line_place, comes_before> order_;
  TicketList waiting_;
  TicketList in_core_;
  std::int64_t running_ = 0;
  ShortestTime shortest_;
  std::uint64_t worked_off_ = 0;
  std::uint64_t answered_ = 0;
  std::int64_t progress_ns_ = INT64_MIN;
  double ns_per_kib_ = 0;
};

}  // namespace roundhouse
