#include "model_line.hpp"

#include <algorithm>
#include <tuple>

namespace roundhouse {

void ShortestTime::observe(std::int64_t ns) {
  current_ = std::min(current_, ns);
  if (++count_ < kObservations) return;
  earlier_ = current_;
  current_ = kUnbounded;
  count_ = 0;
}

bool comes_before(const Ticket& a, const Ticket& b) {
  return std::tie(a.priority, a.deadline_ms, a.arrival) < std::tie(b.priority, b.deadline_ms, b.arrival);
}

void ModelLine::join(Ticket& ticket) {
  ticket.line = this;
  ticket.older = newest_;
  ticket.newer = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->newer) = &ticket;
  newest_ = &ticket;
  heap_.push_back(&ticket);
  ticket.heap_place = heap_.size() - 1;
  rise(ticket.heap_place);
}

void ModelLine::leave(Ticket& ticket) {
  (ticket.older == nullptr ? oldest_ : ticket.older->newer) = ticket.newer;
  (ticket.newer == nullptr ? newest_ : ticket.newer->older) = ticket.older;
  const std::size_t at = ticket.heap_place;
  Ticket* last = heap_.back();
  heap_.pop_back();
  if (last == &ticket) return;
  place(last, at);
  rise(at);
  sink(last->heap_place);
}

void ModelLine::serve(Ticket& ticket) {
  passed_over_ = &ticket == oldest_ ? 0 : passed_over_ + 1;
  leave(ticket);
}

void ModelLine::rise(std::size_t at) {
  Ticket* ticket = heap_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (!comes_before(*ticket, *heap_[parent])) break;
    place(heap_[parent], at);
    at = parent;
  }
  place(ticket, at);
}

void ModelLine::sink(std::size_t at) {
  Ticket* ticket = heap_[at];
  for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && comes_before(*heap_[child + 1], *heap_[child])) ++child;
    if (!comes_before(*heap_[child], *ticket)) break;
    place(heap_[child], at);
    at = child;
  }
  place(ticket, at);
}

}  // namespace roundhouse
