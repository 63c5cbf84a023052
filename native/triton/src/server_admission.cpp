// A request before the core: whether it may start, waits or is refused, and who starts those that wait.
#include <algorithm>
#include <chrono>
#include <utility>

#include "model_capacity.hpp"
#include "model_line.hpp"
#include "server.hpp"

namespace roundhouse {
namespace {

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Milliseconds, negative for no deadline.
std::int64_t left_ms(std::int64_t deadline_ms) {
  return deadline_ms == kNoDeadline ? -1 : std::max<std::int64_t>(0, deadline_ms - unix_ms());
}

std::string left_text(std::int64_t left) {
  return left < 0 ? "it has no deadline" : std::to_string(left) + " ms remain to its deadline";
}

[[noreturn]] void refuse_busy(const std::string& why, std::int64_t deadline_ms) {
  const std::int64_t left = left_ms(deadline_ms);
  TritonFailure failure("ENGINE_BUSY", why + "; " + left_text(left));
  failure.remaining_ms = left;
  throw failure;
}

// What the Python backend says of a model whose process has ended; it starts none anew.
bool tells_of_dead_stub(const std::string& message) {
  const std::size_t stub = message.find("Stub process");
  return stub != std::string::npos && message.find("is not healthy", stub) != std::string::npos;
}

std::string full_text(const Admission& admission, std::int64_t bytes) {
  const std::int64_t most = admission.limits().queued_bytes;
  if (bytes <= most) return "the queue is full with " + std::to_string(admission.queued()) + " requests";
  return "a request of " + std::to_string(bytes) + " bytes, with room for its outputs, can't wait, the limit is " +
         std::to_string(most);
}

}  // namespace

std::int64_t RequestSpec::end_ms() const {
  if (timeout_us == 0) return deadline_ms;
  return std::min(deadline_ms, unix_ms() + static_cast<std::int64_t>(timeout_us / 1'000 + (timeout_us % 1'000 != 0)));
}

bool Server::admit(Inference& inference, const RequestSpec& spec) {
  inference.priority = priority_of(spec.priority);
  inference.deadline_ms = spec.end_ms();
  for (const InputTensor& input : spec.inputs) inference.input_bytes += static_cast<std::int64_t>(input.size);
  inference.bytes = inference.input_bytes + static_cast<std::int64_t>(inference.arena_size);
  const std::int64_t deadline_ms = inference.deadline_ms;
  std::optional<Admitted> admitted;
  while (!(admitted = admission_.admit(spec.model, spec.version, inference))) {
    const std::int64_t served = served_version(spec.model, spec.version);
    admission_.open(spec.model, spec.version, served, most_running(spec.model, served));
  }
  refuse(admitted->displaced);
  switch (admitted->verdict) {
    case Verdict::start: return true;
    case Verdict::wait: return false;
    case Verdict::late: throw TritonFailure("DEADLINE_EXCEEDED", "the deadline had passed when the engine got the request");
    case Verdict::full: refuse_busy(full_text(admission_, inference.bytes), deadline_ms);
    case Verdict::hopeless: break;
  }
  const std::string others = std::to_string(admission_.queued()) + " requests wait";
  refuse_busy("the model is busy and takes longer than is left, " + others, deadline_ms);
}

void Server::refuse(Ticket* displaced) noexcept {
  for (Ticket* next = nullptr; displaced != nullptr; displaced = next) {
    next = displaced->newer;
    auto& inference = static_cast<Inference&>(*displaced);
    const std::int64_t left = left_ms(inference.deadline_ms);
    inference.fail("ENGINE_BUSY", "the queue is full, and a more urgent request has its place; " + left_text(left), left);
    hand_over(&inference);
  }
}

// The core takes the latest version that is ready for -1. Where that changes meanwhile, `close` comes.
std::int64_t Server::served_version(const std::string& model, std::int64_t version) {
  if (version != -1) return version;
  TRITONSERVER_Message* message = nullptr;
  api_.check(api_.ServerModelMetadata(server_, name_of(model), -1, &message));
  return latest_version(api_.json(message));
}

std::int64_t Server::most_running(const std::string& model, std::int64_t version) {
  TRITONSERVER_Message* message = nullptr;
  api_.check(api_.ServerModelConfig(server_, name_of(model), version, 1, &message));
  return next_batches(api_.json(message));
}

// Who ends a request starts those that waited for its place. A request that ends while it is started, on the very
// thread, leaves that to the loop that is at it.
void Server::start_waiting() noexcept {
  thread_local bool starting = false;
  if (starting) return;
  starting = true;
  for (Admission::Turn turn = admission_.next(); turn.ticket != nullptr; turn = admission_.next()) start_turn(turn);
  starting = false;
}

void Server::start_turn(const Admission::Turn& turn) noexcept {
  auto& inference = static_cast<Inference&>(*turn.ticket);
  if (turn.late) {
    inference.fail("DEADLINE_EXCEEDED", "the deadline passed while the request waited for its turn");
    return hand_over(&inference);
  }
  bool launched = false;
  try {
    const auto lock = running();
    launched = true;
    launch(inference);
  } catch (const TritonFailure& failure) {
    if (!launched) admission_.release(inference, Ended::refused);
    inference.fail(failure.code.c_str(), failure.what());
    hand_over(&inference);
  }
}

bool Server::take_back(Inference& inference, Withdrawal why) {
  if (admission_.withdraw(inference, why)) {
    delete_request(inference);
    return true;
  }
  if (!inference.defer_cancel()) cancel_in_core(inference);
  return false;
}

void Server::note_broken(const Inference& inference) noexcept {
  if (!tells_of_dead_stub(inference.error_message) || !admission_.is_current(inference)) return;
  const std::lock_guard lock(broken_mutex_);
  broken_models_.emplace(inference.line->model(), inference.error_message);
}

std::map<std::string, std::string> Server::take_broken_models() {
  const std::lock_guard lock(broken_mutex_);
  return std::exchange(broken_models_, {});
}

}  // namespace roundhouse
