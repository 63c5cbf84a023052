// The functions of shm.node, one to one as in bindings.ts. Errors are JS errors with a `code`.
#include <napi.h>

#include <algorithm>
#include <cstring>

#include "../../addon/guarded.hpp"
#include "client_session.hpp"
#include "failure.hpp"
#include "parameters_from_js.hpp"

namespace roundhouse::shm {
namespace {

constexpr int kAbiVersion = 2;
constexpr int kAnswered = 8;
constexpr napi_type_tag kSessionTag = {0x726f756e64686f75ULL, 0x736573686d73686dULL};

// A session and the function that is called when it has news.
struct SessionBinding {
  SessionBinding(Napi::Env env, Napi::Function on_event)
      : function(Napi::Persistent(on_event)), context(env, "roundhouse.shm.session") {}
  void call() {
    const Napi::Env env = function.Env();
    Napi::HandleScope scope(env);
    try {
      function.MakeCallback(env.Global(), {}, context);
    } catch (const Napi::Error& error) {
      napi_fatal_exception(env, error.Value());
    }
  }
  Napi::FunctionReference function;
  Napi::AsyncContext context;
  std::unique_ptr<ClientSession> session;
};
using SharedBinding = std::shared_ptr<SessionBinding>;

ClientSession& session_of(const Napi::CallbackInfo& info) {
  bool tagged = false;
  if (info[0].IsExternal()) napi_check_object_type_tag(info.Env(), info[0], &kSessionTag, &tagged);
  if (!tagged) throw ShmFailure("WRONG_HANDLE", "the first argument is not the handle of a session");
  return *(*info[0].As<Napi::External<SharedBinding>>().Data())->session;
}

[[noreturn]] void invalid(const std::string& what) { throw ShmFailure("INVALID_ARG", what); }

std::uint64_t whole(const Napi::Value& value, const char* name) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(number >= 0 && number <= 9007199254740991.0)) invalid(std::string(name) + " must be a whole number");
  return static_cast<std::uint64_t>(number);
}

std::string text(const Napi::Value& value, const char* name) {
  if (!value.IsString()) invalid(std::string(name) + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

SessionSettings settings_of(Napi::Object object) {
  SessionSettings settings;
  settings.socket_path = text(object.Get("socketPath"), "socketPath");
  settings.ring_bytes = whole(object.Get("ringBytes"), "ringBytes");
  settings.inline_bytes = whole(object.Get("inlineBytes"), "inlineBytes");
  settings.most_inline_bytes = whole(object.Get("mostInlineBytes"), "mostInlineBytes");
  settings.copy_below_bytes = whole(object.Get("copyBelowBytes"), "copyBelowBytes");
  settings.most_spin = std::chrono::microseconds(whole(object.Get("mostSpinUs"), "mostSpinUs"));
  if (!object.Get("classes").IsArray()) invalid("classes must be an array");
  const auto classes = object.Get("classes").As<Napi::Array>();
  for (std::uint32_t i = 0; i < classes.Length(); ++i) {
    const Napi::Object entry = classes.Get(i).As<Napi::Object>();
    settings.classes.push_back({whole(entry.Get("slotBytes"), "slotBytes"), whole(entry.Get("count"), "count")});
  }
  return settings;
}

Napi::Value open_session(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    if (!info[0].IsObject() || !info[1].IsFunction()) invalid("openSession takes settings and a function");
    const SessionSettings settings = settings_of(info[0].As<Napi::Object>());
    auto binding = std::make_shared<SessionBinding>(info.Env(), info[1].As<Napi::Function>());
    // The session is gone before its binding is.
    binding->session = std::make_unique<ClientSession>(
        info.Env(), settings, [weak = std::weak_ptr<SessionBinding>(binding)] {
          if (const auto alive = weak.lock()) alive->call();
        });
    auto handle = Napi::External<SharedBinding>::New(info.Env(), new SharedBinding(binding),
                                                     [](Napi::Env, SharedBinding* shared) { delete shared; });
    napi_type_tag_object(info.Env(), handle, &kSessionTag);
    return handle;
  });
}

Napi::ArrayBuffer view_of(Napi::Env env, const std::shared_ptr<SlotMemory>& memory, SlotRef lease,
                          std::uint64_t bytes) {
  if (!memory || !memory->pool.is_held(lease)) throw ShmFailure("STALE_LEASE", "the lease was given back");
  if (!memory->layout.holds(lease.slot, 0, bytes)) invalid("a view is longer than its slot");
  auto* hold = new ViewHold{memory, lease};
  memory->views[lease.slot] = hold;
  return Napi::ArrayBuffer::New(
      env, memory->at(lease), bytes,
      [](Napi::Env, void*, ViewHold* held) {
        if (held->memory) {
          held->memory->pool.give_back(held->lease);
          held->memory->views.erase(held->lease.slot);
        }
        delete held;
      },
      hold);
}

SlotRef ref_of(const Napi::CallbackInfo& info, std::size_t at) {
  return {static_cast<std::uint32_t>(whole(info[at], "slot")),
          static_cast<std::uint32_t>(whole(info[at + 1], "generation"))};
}

std::vector<std::int64_t> shape_of(Napi::Array array) {
  std::vector<std::int64_t> shape(array.Length());
  for (std::uint32_t i = 0; i < shape.size(); ++i) shape[i] = array.Get(i).ToNumber().Int64Value();
  return shape;
}

std::vector<ClientInput> inputs_of(const Napi::Value& value) {
  if (!value.IsArray()) invalid("inputs must be an array");
  const auto array = value.As<Napi::Array>();
  std::vector<ClientInput> inputs;
  inputs.reserve(array.Length());
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Object entry = array.Get(i).As<Napi::Object>();
    const Napi::Value shape = entry.Get("shape");
    const Napi::Value data = entry.Get("data");
    if (!shape.IsArray() || !data.IsTypedArray()) invalid("inputs[" + std::to_string(i) + "] lacks shape or data");
    const auto bytes = data.As<Napi::Uint8Array>();
    inputs.push_back({text(entry.Get("name"), "name"), text(entry.Get("datatype"), "datatype"),
                      shape_of(shape.As<Napi::Array>()), reinterpret_cast<const std::byte*>(bytes.Data()),
                      bytes.ByteLength()});
  }
  return inputs;
}

// Arguments in a row: names of properties would cost more than the rest of a small request.
ClientRequest request_of(const Napi::CallbackInfo& info) {
  ClientRequest request;
  request.frame.id = whole(info[1], "id");
  request.frame.model = text(info[2], "model");
  if (!info[3].IsNumber()) invalid("version must be a number");
  request.frame.version = info[3].As<Napi::Number>().Int64Value();
  request.frame.request_id = text(info[4], "requestId");
  request.frame.deadline_ms = static_cast<std::int64_t>(whole(info[5], "deadlineMs"));
  request.inputs = inputs_of(info[6]);
  if (!info[7].IsArray()) invalid("outputs must be an array");
  const auto outputs = info[7].As<Napi::Array>();
  for (std::uint32_t i = 0; i < outputs.Length(); ++i) request.frame.outputs.push_back(text(outputs.Get(i), "output"));
  request.output_bytes = whole(info[8], "outputBytes");
  request.inline_if_empty = info[9].ToBoolean();
  request.frame.parameters = parameters_from_js(info[11]);
  return request;
}

// submit(handle, id, model, version, requestId, deadlineMs, inputs, outputs, outputBytes, inlineIfEmpty, lease?, parameters?)
// → Submitted, and kAnswered where there are answers already
Napi::Value submit(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    ClientRequest request = request_of(info);
    Napi::ArrayBuffer memory;
    if (info[10].IsObject()) {
      const Napi::Object lease = info[10].As<Napi::Object>();
      request.leased = {static_cast<std::uint32_t>(whole(lease.Get("slot"), "slot")),
                        static_cast<std::uint32_t>(whole(lease.Get("generation"), "generation"))};
      memory = lease.Get("memory").As<Napi::ArrayBuffer>();
    }
    ClientSession& session = session_of(info);
    const Submitted result = session.submit(request);
    if (result <= Submitted::in_frame_since_empty && !memory.IsEmpty()) {
      memory.Detach();
      session.memory()->disarm(request.leased.slot);
    }
    return Napi::Number::New(info.Env(), static_cast<int>(result) + (request.answered ? kAnswered : 0));
  });
}

Napi::Value cancel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(),
                 [&] { return Napi::Boolean::New(info.Env(), session_of(info).cancel(whole(info[1], "id"))); });
}

Napi::Value fetch(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const Submitted result = session_of(info).fetch(whole(info[1], "id"), whole(info[2], "bytes"));
    return Napi::Number::New(info.Env(), static_cast<int>(result));
  });
}

Napi::Object lease_to_js(Napi::Env env, const std::shared_ptr<SlotMemory>& memory, SlotRef lease, std::uint64_t bytes) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("slot", lease.slot);
  object.Set("generation", lease.generation);
  object.Set("memory", view_of(env, memory, lease, bytes));
  return object;
}

Napi::Value lease(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    ClientSession& session = session_of(info);
    const std::uint64_t bytes = whole(info[1], "bytes");
    const auto taken = session.lease(bytes);
    if (!taken) return info.Env().Undefined();
    return lease_to_js(info.Env(), session.memory(), *taken, bytes);
  });
}

Napi::Value view(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return view_of(info.Env(), session_of(info).memory(), ref_of(info, 1), whole(info[3], "bytes"));
  });
}

// copyOut(handle, slot, generation, bytes): a copy of the slot's first bytes; the lease ends.
Napi::Value copy_out(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    ClientSession& session = session_of(info);
    const SlotRef taken = ref_of(info, 1);
    const std::uint64_t bytes = whole(info[3], "bytes");
    if (!session.memory() || !session.memory()->pool.is_held(taken)) throw ShmFailure("STALE_LEASE", "the lease was given back");
    if (!session.memory()->layout.holds(taken.slot, 0, bytes)) invalid("a copy is longer than its slot");
    const auto copy = Napi::Buffer<std::byte>::Copy(info.Env(), session.memory()->at(taken), bytes);
    session.give_back(taken);
    return copy;
  });
}

// release(handle, slot, generation, memory?) → false for a stale lease. A late read of the view throws.
Napi::Value release(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    ClientSession& session = session_of(info);
    const SlotRef lease = ref_of(info, 1);
    if (!session.memory() || !session.memory()->pool.is_held(lease)) return Napi::Boolean::New(info.Env(), false);
    if (info[3].IsArrayBuffer()) info[3].As<Napi::ArrayBuffer>().Detach();
    session.memory()->disarm(lease.slot);
    return Napi::Boolean::New(info.Env(), session.give_back(lease));
  });
}

// Answers come as rows, [kind, id, …] as in answers.ts: names of properties would cost more than the rest.
class Row {
 public:
  Row(Napi::Env env, FrameKind kind, std::uint64_t id) : array_(Napi::Array::New(env)) {
    add(static_cast<double>(kind));
    add(static_cast<double>(id));
  }
  template <typename T>
  void add(T value) {
    array_.Set(next_++, value);
  }
  Napi::Array array() const { return array_; }

 private:
  Napi::Array array_;
  std::uint32_t next_ = 0;
};

// A buffer of the caller that small outputs are copied into.
struct Slab {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t used = 0;

  // Its offset, or -1 where there is no room.
  double put(const std::byte* from, std::uint64_t size) {
    const std::uint64_t at = aligned_up(used);
    if (at > bytes || size > bytes - at) return -1;
    std::memcpy(data + at, from, size);
    used = at + size;
    return static_cast<double>(at);
  }
};

void add_output(Row& row, Napi::Env env, const TensorPlace& output, const Bytes& frame) {
  Napi::Array shape = Napi::Array::New(env, output.shape.size());
  for (std::uint32_t i = 0; i < output.shape.size(); ++i) shape.Set(i, static_cast<double>(output.shape[i]));
  row.add(output.name);
  row.add(output.datatype);
  row.add(shape);
  row.add(static_cast<double>(output.offset));
  row.add(static_cast<double>(output.length));
  if (!output.in_frame) return row.add(env.Undefined());
  row.add(Napi::Buffer<std::byte>::Copy(env, frame.data() + output.offset, output.length));
}

bool has_good_places(const ResultFrame& result, const Bytes& frame, const Layout& layout, SlotRef slot) {
  return std::all_of(result.outputs.begin(), result.outputs.end(), [&](const TensorPlace& output) {
    if (output.in_frame) return lies_in(frame, output);
    return output.length == 0 || (!slot.none() && layout.holds(slot.slot, output.offset, output.length));
  });
}

Napi::Array result_to_js(Napi::Env env, ClientSession& session, const Bytes& frame, Slab& slab) {
  const ResultFrame result = read_result(frame);
  SlotRef slot;
  if (!session.settle(result.id, slot)) throw ShmFailure("PEER_INVALID", "an answer to no request");
  if (!has_good_places(result, frame, session.memory()->layout, slot)) {
    session.give_back(slot);
    throw ShmFailure("PEER_INVALID", "an output lies outside of its slot");
  }
  std::uint64_t end = 0;
  for (const TensorPlace& output : result.outputs) {
    if (!output.in_frame && output.length > 0) end = std::max(end, output.offset + output.length);
  }
  double in_slab = -1;
  if (end > 0 && end <= session.copy_below()) in_slab = slab.put(session.memory()->at(slot), end);
  // A slot that nothing is left in is free at once.
  if (end == 0 || in_slab >= 0) session.give_back(slot);
  Row row(env, FrameKind::result, result.id);
  row.add(result.version);
  row.add(slot.slot);
  row.add(slot.generation);
  row.add(static_cast<double>(end));
  row.add(in_slab);
  for (const TensorPlace& output : result.outputs) add_output(row, env, output, frame);
  return row.array();
}

Napi::Array failed_to_js(Napi::Env env, ClientSession& session, const Bytes& frame) {
  const FailedFrame failed = read_failed(frame);
  SlotRef slot;
  if (!failed.kept && session.settle(failed.id, slot)) session.give_back(slot);
  Row row(env, FrameKind::failed, failed.id);
  row.add(failed.kept);
  row.add(failed.of_table);
  row.add(failed.code);
  row.add(failed.message);
  return row.array();
}

Napi::Array answer_to_js(Napi::Env env, ClientSession& session, const Bytes& frame, Slab& slab) {
  const FrameKind kind = kind_of(frame);
  if (kind == FrameKind::result) return result_to_js(env, session, frame, slab);
  if (kind == FrameKind::failed) return failed_to_js(env, session, frame);
  if (kind == FrameKind::grow) {
    std::uint64_t bytes = 0;
    Row row(env, kind, read_grow(frame, bytes));
    // More than any slot has, whatever the engine says.
    row.add(static_cast<double>(std::min(bytes, Layout::kMaxBytes)));
    return row.array();
  }
  if (kind != FrameKind::released) throw ShmFailure("PEER_INVALID", "a frame of an unknown kind");
  SlotRef slot;
  const std::uint64_t id = read_id(frame);
  if (session.settle(id, slot)) session.give_back(slot);
  return Row(env, kind, id).array();
}

// takeAnswers(handle, slab): all answers there are. A peer that breaks the protocol ends the session.
Napi::Value take_answers(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    ClientSession& session = session_of(info);
    if (!info[1].IsTypedArray()) invalid("takeAnswers takes a buffer");
    const auto buffer = info[1].As<Napi::Uint8Array>();
    Slab slab{reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(buffer.Data())), buffer.ByteLength(), 0};
    Napi::Array answers = Napi::Array::New(info.Env());
    Bytes frame;
    std::uint32_t count = 0;
    try {
      do {
        while (session.next_answer(frame)) answers.Set(count++, answer_to_js(info.Env(), session, frame, slab));
      } while (!session.fall_asleep());
    } catch (const ShmFailure& failure) {
      session.end(failure.what());
    }
    return answers;
  });
}

Napi::Value state(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    ClientSession& session = session_of(info);
    return Napi::String::New(info.Env(), session.is_ended() ? "ended" : session.is_taken() ? "open" : "opening");
  });
}

Napi::Value end_reason(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return Napi::String::New(info.Env(), session_of(info).end_reason()); });
}

Napi::Value held_slots(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto& memory = session_of(info).memory();
    return Napi::Number::New(info.Env(), memory ? memory->pool.held() : 0);
  });
}

Napi::Value close_session(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    session_of(info).end("closed");
    return info.Env().Undefined();
  });
}

Napi::Value abi_version(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), kAbiVersion); }

Napi::Object init(Napi::Env env, Napi::Object exports) {
  const auto add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  add("abiVersion", abi_version);
  add("openSession", open_session);
  add("state", state);
  add("endReason", end_reason);
  add("submit", submit);
  add("cancel", cancel);
  add("fetch", fetch);
  add("takeAnswers", take_answers);
  add("lease", lease);
  add("view", view);
  add("copyOut", copy_out);
  add("release", release);
  add("heldSlots", held_slots);
  add("closeSession", close_session);
  return exports;
}

}  // namespace

NODE_API_MODULE(shm, init)

}  // namespace roundhouse::shm
