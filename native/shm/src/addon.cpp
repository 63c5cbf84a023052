// The functions of shm.node, one to one as in bindings.ts. Errors are JS errors with a `code`.
#include <napi.h>

#include "../../addon/functions.hpp"
#include "../../addon/guarded.hpp"
#include "answers_to_js.hpp"
#include "client_session.hpp"
#include "failure.hpp"
#include "../../addon/js_arguments.hpp"
#include "request_from_js.hpp"
#include "slot_views.hpp"

namespace roundhouse::shm {
namespace {

constexpr int kAbiVersion = 4;
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

SlotRef ref_of(const Napi::CallbackInfo& info, std::size_t at) {
  return {static_cast<std::uint32_t>(whole(info[at], "slot")),
          static_cast<std::uint32_t>(whole(info[at + 1], "generation"))};
}

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

// copyOut(handle, slot, generation, bytes)
Napi::Value copy_out(const Napi::CallbackInfo& info) {
  return guarded(info.Env(),
                 [&] { return copy_out(info.Env(), session_of(info), ref_of(info, 1), whole(info[3], "bytes")); });
}

// release(handle, slot, generation, memory?)
Napi::Value release(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return Napi::Boolean::New(info.Env(), release_slot(session_of(info), ref_of(info, 1), info[3]));
  });
}

// takeAnswers(handle, slab)
Napi::Value take_answers(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    ClientSession& session = session_of(info);
    if (!info[1].IsTypedArray()) invalid("takeAnswers takes a buffer");
    const auto buffer = info[1].As<Napi::Uint8Array>();
    Slab slab{reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(buffer.Data())), buffer.ByteLength(), 0};
    return answers_to_js(info.Env(), session, slab);
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

Napi::Value held_bytes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto& memory = session_of(info).memory();
    return Napi::Number::New(info.Env(), memory ? static_cast<double>(memory->pool.held_bytes()) : 0);
  });
}

Napi::Value close_session(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    session_of(info).end("closed");
    return info.Env().Undefined();
  });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  return with_functions<kAbiVersion>(env, exports,
                                     {
                                         {"openSession", open_session},
                                         {"state", state},
                                         {"endReason", end_reason},
                                         {"submit", submit},
                                         {"cancel", cancel},
                                         {"fetch", fetch},
                                         {"takeAnswers", take_answers},
                                         {"lease", lease},
                                         {"view", view},
                                         {"copyOut", copy_out},
                                         {"release", release},
                                         {"heldSlots", held_slots},
                                         {"heldBytes", held_bytes},
                                         {"closeSession", close_session},
                                     });
}

}  // namespace

NODE_API_MODULE(shm, init)

}  // namespace roundhouse::shm
