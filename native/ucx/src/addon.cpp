// The functions of ucx.node, one to one as in bindings.ts. Errors are JS errors with a `code`.
#include <napi.h>

#include "../../addon/functions.hpp"
#include "../../addon/guarded.hpp"
#include "arguments.hpp"
#include "events_to_js.hpp"
#include "failure.hpp"
#include "host.hpp"

namespace roundhouse::ucx {
namespace {

constexpr int kAbiVersion = 1;
constexpr napi_type_tag kHostTag = {0x726f756e64686f75ULL, 0x7365756378686f73ULL};

// A host and the function that is called when it has news; both end with `closeHost` or the environment.
class HostBinding {
 public:
  HostBinding(Napi::Env env, const HostSettings& settings, Napi::Function on_events)
      : env_(env), function_(Napi::ThreadSafeFunction::New(env, on_events, "roundhouse.ucx", 0, 1)) {
    function_.Unref(env);
    try {
      host_ = std::make_unique<Host>(settings, [this] { function_.NonBlockingCall(); });
    } catch (...) {
      function_.Release();
      throw;
    }
    napi_add_env_cleanup_hook(env, at_end, this);
  }
  ~HostBinding() { close(); }

  Host& host() {
    if (!host_) throw UcxFailure("CLOSED", "the host was closed");
    return *host_;
  }
  // Does it keep the process alive? At first it doesn't.
  void hold_process(bool hold) {
    if (host_) hold ? function_.Ref(env_) : function_.Unref(env_);
  }
  void close() {
    if (!host_) return;
    napi_remove_env_cleanup_hook(env_, at_end, this);
    end();
  }

 private:
  // The thread calls `function_` until it has ended.
  void end() {
    host_.reset();
    function_.Release();
  }
  static void at_end(void* self) { static_cast<HostBinding*>(self)->end(); }

  napi_env env_;
  Napi::ThreadSafeFunction function_;
  std::unique_ptr<Host> host_;
};

HostBinding& binding_of(const Napi::CallbackInfo& info) {
  bool tagged = false;
  if (info[0].IsExternal()) napi_check_object_type_tag(info.Env(), info[0], &kHostTag, &tagged);
  if (!tagged) throw UcxFailure("WRONG_HANDLE", "the first argument is not the handle of a host");
  return *info[0].As<Napi::External<HostBinding>>().Data();
}

Host& host_of(const Napi::CallbackInfo& info) { return binding_of(info).host(); }

Napi::Value number(const Napi::CallbackInfo& info, std::uint64_t value) {
  return Napi::Number::New(info.Env(), static_cast<double>(value));
}

// openHost(settings, onEvents)
Napi::Value open_host(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    if (!info[0].IsObject() || !info[1].IsFunction()) invalid("openHost takes settings and a function");
    const HostSettings settings = settings_of(info[0].As<Napi::Object>());
    auto binding = std::make_unique<HostBinding>(info.Env(), settings, info[1].As<Napi::Function>());
    auto handle = Napi::External<HostBinding>::New(info.Env(), binding.get(),
                                                   [](Napi::Env, HostBinding* held) { delete held; });
    binding.release();
    napi_type_tag_object(info.Env(), handle, &kHostTag);
    return handle;
  });
}

// → { version, transports, port, mostHeaderBytes }
Napi::Value facts(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    Host& host = host_of(info);
    const EndpointContext& context = host.context();
    Napi::Object object = Napi::Object::New(info.Env());
    Napi::Array transports = Napi::Array::New(info.Env());
    for (const std::string& name : context.transports()) transports.Set(transports.Length(), name);
    object.Set("version", context.api().version_text());
    object.Set("transports", transports);
    object.Set("port", host.port());
    object.Set("mostHeaderBytes", static_cast<double>(context.most_header_bytes()));
    return object;
  });
}

// connect(handle, host, port) → connection
Napi::Value connect(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto port = whole(info[2], "port");
    if (port > 65'535) invalid("port must be at most 65535");
    return number(info, host_of(info).connect(address_of(text(info[1], "host"), static_cast<std::uint16_t>(port))));
  });
}

// accept(handle, request) → connection
Napi::Value accept(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return number(info, host_of(info).accept(whole(info[1], "request"))); });
}

Napi::Value refuse(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    host_of(info).refuse(whole(info[1], "request"));
    return info.Env().Undefined();
  });
}

// setKey(handle, connection, key)
Napi::Value set_key(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const Part bytes = part_of(info[2], "key");
    if (bytes.size != kKeyBytes) invalid("key must have " + std::to_string(kKeyBytes) + " bytes");
    Key key;
    std::copy_n(bytes.data, kKeyBytes, key.begin());
    host_of(info).set_key(whole(info[1], "connection"), key);
    return info.Env().Undefined();
  });
}

// send(handle, connection, header, parts) → send
Napi::Value send(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    Host& host = host_of(info);
    const Part header = part_of(info[2], "header");
    if (header.size > host.context().most_header_bytes()) throw UcxFailure("TOO_LARGE", "the header is too long");
    if (!info[3].IsArray()) invalid("parts must be an array");
    const auto list = info[3].As<Napi::Array>();
    std::vector<Part> parts;
    for (std::uint32_t i = 0; i < list.Length(); ++i) parts.push_back(part_of(list.Get(i), "parts"));
    return number(info, host.send(whole(info[1], "connection"), Bytes(header.data, header.data + header.size),
                                  std::move(parts)));
  });
}

// receive(handle, message, into)
Napi::Value receive(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const Part into = part_of(info[2], "into");
    host_of(info).receive(whole(info[1], "message"), const_cast<std::byte*>(into.data), into.size);
    return info.Env().Undefined();
  });
}

Napi::Value drop(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    host_of(info).drop(whole(info[1], "message"));
    return info.Env().Undefined();
  });
}

Napi::Value close_connection(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    host_of(info).close(whole(info[1], "connection"));
    return info.Env().Undefined();
  });
}

// holdProcess(handle, hold)
Napi::Value hold_process(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    binding_of(info).hold_process(info[1].ToBoolean());
    return info.Env().Undefined();
  });
}

Napi::Value take_events(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return events_to_js(info.Env(), host_of(info).take_events()); });
}

// Joins the thread: half a second where a peer holds it back.
Napi::Value close_host(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    binding_of(info).close();
    return info.Env().Undefined();
  });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  return with_functions<kAbiVersion>(env, exports,
                                     {
                                         {"openHost", open_host},
                                         {"facts", facts},
                                         {"connect", connect},
                                         {"accept", accept},
                                         {"refuse", refuse},
                                         {"setKey", set_key},
                                         {"send", send},
                                         {"receive", receive},
                                         {"drop", drop},
                                         {"closeConnection", close_connection},
                                         {"holdProcess", hold_process},
                                         {"takeEvents", take_events},
                                         {"closeHost", close_host},
                                     });
}

}  // namespace

NODE_API_MODULE(ucx, init)

}  // namespace roundhouse::ucx
