// The way of a request through the server: made, started, cancelled, over.
#include "server.hpp"

namespace roundhouse {

// The core's request is made before it waits: what waits keeps the model that it was sent to, also through an unload.
void Server::start_request(Inference& inference, const RequestSpec& spec) {
  const auto lock = running();
  inference.server = this;
  inference.model_use = retirement_.enter(spec.model);
  try {
    api_.check(api_.InferenceRequestNew(&inference.request, server_, name_of(spec.model), spec.version));
    build_request(inference, spec);
    if (admit(inference, spec)) launch(inference);
  } catch (const TritonFailure&) {
    delete_request(inference);
    throw;
  }
}

void Server::launch(Inference& inference) {
  open_requests_.fetch_add(1, std::memory_order_acq_rel);
  if (TRITONSERVER_Error* error = api_.ServerInferAsync(server_, inference.request, nullptr)) {
    open_requests_.fetch_sub(1, std::memory_order_acq_rel);
    if (admission_.release(inference, Ended::refused)) start_waiting();
    api_.check(error);
  }
  if (inference.launched()) cancel_in_core(inference);
  complete(&inference);
}

std::uint32_t Server::submit(std::unique_ptr<Inference> inference, const RequestSpec& spec) {
  while (in_flight_.count(++next_id_) != 0) {
  }
  inference->id = next_id_;
  start_request(*inference, spec);
  // Callbacks may have come already; they never touch the map.
  in_flight_.emplace(next_id_, std::move(inference));
  return next_id_;
}

void Server::build_request(Inference& inference, const RequestSpec& spec) {
  TRITONSERVER_InferenceRequest* request = inference.request;
  api_.check(api_.InferenceRequestSetId(request, spec.request_id.c_str()));
  for (const InputTensor& input : spec.inputs) {
    const TRITONSERVER_DataType type = api_.StringToDataType(input.datatype.c_str());
    api_.check(api_.InferenceRequestAddInput(request, input.name.c_str(), type, input.shape.data(), input.shape.size()));
    api_.check(api_.InferenceRequestAppendInputData(request, input.name.c_str(), input.data, input.size,
                                                    input.pinned ? TRITONSERVER_MEMORY_CPU_PINNED : TRITONSERVER_MEMORY_CPU,
                                                    0));
  }
  for (const std::string& output : spec.outputs) {
    api_.check(api_.InferenceRequestAddRequestedOutput(request, output.c_str()));
  }
  set_parameters(request, spec);
  api_.check(api_.InferenceRequestSetReleaseCallback(request, on_release, &inference));
  api_.check(api_.InferenceRequestSetResponseCallback(request, allocator_, &inference, on_response, &inference));
}

void Server::set_parameters(TRITONSERVER_InferenceRequest* request, const RequestSpec& spec) {
  for (const auto& [name, value] : spec.parameters) {
    const char* key = name.c_str();
    if (const auto* text = std::get_if<std::string>(&value)) {
      api_.check(api_.InferenceRequestSetStringParameter(request, key, text->c_str()));
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      api_.check(api_.InferenceRequestSetIntParameter(request, key, *whole));
    } else if (const auto* real = std::get_if<double>(&value)) {
      api_.check(api_.InferenceRequestSetDoubleParameter(request, key, *real));
    } else {
      api_.check(api_.InferenceRequestSetBoolParameter(request, key, std::get<bool>(value)));
    }
  }
}

void Server::cancel_in_core(Inference& inference) {
  if (inference.request == nullptr) return;
  if (TRITONSERVER_Error* error = api_.InferenceRequestCancel(inference.request)) api_.ErrorDelete(error);
}

void Server::delete_request(Inference& inference) noexcept {
  if (inference.request != nullptr) {
    if (TRITONSERVER_Error* error = api_.InferenceRequestDelete(inference.request)) api_.ErrorDelete(error);
  }
  inference.request = nullptr;
  inference.model_use.reset();
}

void Server::end_request(Inference& inference) { delete_request(inference); }

void Server::warn(const std::string& text) const {
  if (TRITONSERVER_Error* error = api_.LogMessage(TRITONSERVER_LOG_WARN, __FILE__, __LINE__, text.c_str())) {
    api_.ErrorDelete(error);
  }
}

bool Server::cancel(std::uint32_t id, Withdrawal why) {
  const auto found = in_flight_.find(id);
  if (found == in_flight_.end()) return false;
  Inference& inference = *found->second;
  if (take_back(inference, why)) {
    inference.fail("CANCELLED", "the request was given up before it started");
    hand_over(&inference);
  }
  return true;
}

void Server::cancel_all() {
  for (const auto& [id, inference] : in_flight_) cancel(id);
}

std::vector<std::unique_ptr<Inference>> Server::take_completed() {
  std::vector<Inference*> done;
  {
    std::lock_guard lock(completed_mutex_);
    done.swap(completed_);
  }
  std::vector<std::unique_ptr<Inference>> owned;
  owned.reserve(done.size());
  for (Inference* inference : done) {
    const auto found = in_flight_.find(inference->id);
    if (found == in_flight_.end()) continue;
    delete_request(*inference);
    owned.push_back(std::move(found->second));
    in_flight_.erase(found);
  }
  return owned;
}

void Server::complete(Inference* inference) noexcept {
  if (inference->open_callbacks.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  open_requests_.fetch_sub(1, std::memory_order_acq_rel);
  const bool answered = inference->error_code.empty();
  if (!answered) note_broken(*inference);
  const bool others_wait = admission_.release(*inference, answered ? Ended::answered : Ended::failed);
  hand_over(inference);
  if (others_wait) start_waiting();
}

void Server::hand_over(Inference* inference) noexcept {
  if (inference->sink != nullptr) return inference->sink->on_complete(inference);
  bool was_empty = false;
  {
    std::lock_guard lock(completed_mutex_);
    was_empty = completed_.empty();
    completed_.push_back(inference);
  }
  if (was_empty) wake_();
}

TRITONSERVER_Error* Server::allocate(TRITONSERVER_ResponseAllocator*, const char*, std::size_t size,
                                     TRITONSERVER_MemoryType, std::int64_t, void* userp, void** buffer,
                                     void** buffer_userp, TRITONSERVER_MemoryType* memory, std::int64_t* memory_id) {
  auto* inference = static_cast<Inference*>(userp);
  *memory = TRITONSERVER_MEMORY_CPU;
  *memory_id = 0;
  *buffer_userp = nullptr;
  try {
    std::byte* placed = size == 0 ? nullptr : inference->place(size);
    if (inference->arena_pinned && inference->in_arena(placed)) *memory = TRITONSERVER_MEMORY_CPU_PINNED;
    *buffer = placed;
    return nullptr;
  } catch (const std::exception& error) {
    return inference->server->api_.ErrorNew(TRITONSERVER_ERROR_UNAVAILABLE, "no memory for an output");
  }
}

// The arena is the caller's and the overflow the inference's: nothing to free here.
TRITONSERVER_Error* Server::release(TRITONSERVER_ResponseAllocator*, void*, void*, std::size_t, TRITONSERVER_MemoryType,
                                    std::int64_t) {
  return nullptr;
}

void Server::on_response(TRITONSERVER_InferenceResponse* response, std::uint32_t flags, void* userp) {
  auto* inference = static_cast<Inference*>(userp);
  Server* server = inference->server;
  if (response != nullptr) inference->read_response(server->api_, response);
  if ((flags & TRITONSERVER_RESPONSE_COMPLETE_FINAL) != 0) server->complete(inference);
}

void Server::on_release(TRITONSERVER_InferenceRequest*, std::uint32_t, void* userp) {
  auto* inference = static_cast<Inference*>(userp);
  inference->server->complete(inference);
}

}  // namespace roundhouse
