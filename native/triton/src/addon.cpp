// The functions of triton.node, one to one as in bindings.ts. Errors are JS errors with a `code`.
#include <napi.h>

#include "../../addon/guarded.hpp"
#include "admission_js.hpp"
#include "core_task.hpp"
#include "device_fault.hpp"
#include "failure.hpp"
#include "gpu_js.hpp"
#include "gpu_use.hpp"
#include "request_js.hpp"
#include "server_binding.hpp"

namespace roundhouse {
namespace {

constexpr int kAbiVersion = 7;
constexpr napi_type_tag kServerTag = {0x726f756e64686f75ULL, 0x7365747269746f6eULL};

using SharedBinding = std::shared_ptr<ServerBinding>;

SharedBinding binding_of(const Napi::CallbackInfo& info) {
  const Napi::Value value = info[0];
  bool tagged = false;
  if (value.IsExternal()) napi_check_object_type_tag(info.Env(), value, &kServerTag, &tagged);
  if (!tagged) throw TritonFailure("WRONG_HANDLE", "the first argument is not the handle of a server");
  return *value.As<Napi::External<SharedBinding>>().Data();
}

Napi::Value nothing(Napi::Env env, const std::string&) { return env.Undefined(); }
Napi::Value as_text(Napi::Env env, const std::string& value) { return Napi::String::New(env, value); }

Napi::Value device_broken(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), device_is_broken.load(std::memory_order_acquire));
}

// '' while it is well.
Napi::Value device_fault(const Napi::CallbackInfo& info) {
  const std::lock_guard lock(device_fault_mutex);
  return Napi::String::New(info.Env(), device_fault_reason);
}

Napi::Value abi_version(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), kAbiVersion); }

Napi::Value start_server(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    if (!info[0].IsObject() || !info[1].IsFunction()) {
      throw TritonFailure("INVALID_ARG", "startServer takes settings and a function");
    }
    const ServerSettings settings = settings_of(info[0].As<Napi::Object>());
    auto binding = std::make_shared<ServerBinding>(info.Env(), info[1].As<Napi::Function>());
    return CoreTask::run(
        info.Env(),
        [binding, settings] {
          binding->start(settings);
          return std::string();
        },
        [binding](Napi::Env env, const std::string&) -> Napi::Value {
          binding->adopt();
          auto handle = Napi::External<SharedBinding>::New(env, new SharedBinding(binding),
                                                           [](Napi::Env, SharedBinding* shared) { delete shared; });
          napi_type_tag_object(env, handle, &kServerTag);
          return handle;
        },
        [binding] { binding->abandon(); });
  });
}

Napi::Value stop_server(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto binding = binding_of(info);
    binding->server().refuse_new_work();
    binding->server().cancel_all();
    return CoreTask::run(
        info.Env(),
        [binding] {
          const std::string failure = binding->stop();
          if (!failure.empty()) throw TritonFailure("UNAVAILABLE", failure);
          return failure;
        },
        [binding](Napi::Env env, const std::string&) {
          binding->retire();
          return env.Undefined();
        });
  });
}

Napi::Value is_live(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return Napi::Boolean::New(info.Env(), binding_of(info)->server().is_live()); });
}

Napi::Value is_model_ready(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto binding = binding_of(info);
    const bool ready = binding->server().is_model_ready(text(info, 1, "model"), version_of(info, 2));
    return Napi::Boolean::New(info.Env(), ready);
  });
}

Napi::Value load_model(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto work = [binding = binding_of(info), model = text(info, 1, "model")] {
      binding->server().load_model(model);
      return std::string();
    };
    return CoreTask::run(info.Env(), std::move(work), nothing);
  });
}

Napi::Value unload_model(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto work = [binding = binding_of(info), model = text(info, 1, "model")] {
      binding->server().unload_model(model);
      return std::string();
    };
    return CoreTask::run(info.Env(), std::move(work), nothing);
  });
}

Napi::Value repository_index(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto work = [binding = binding_of(info)] { return binding->server().repository_index(); };
    return CoreTask::run(info.Env(), std::move(work), as_text);
  });
}

Napi::Value metrics(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto work = [binding = binding_of(info)] { return binding->server().metrics(); };
    return CoreTask::run(info.Env(), std::move(work), as_text);
  });
}

Napi::Value gpu_use(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return CoreTask::run(info.Env(), gpu_use_json, as_text); });
}

Napi::Value server_metadata(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] { return as_text(info.Env(), binding_of(info)->server().server_metadata()); });
}

using ModelQuery = std::string (Server::*)(const std::string&, std::int64_t);

template <ModelQuery query>
Napi::Value model_query(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto binding = binding_of(info);
    return as_text(info.Env(), (binding->server().*query)(text(info, 1, "model"), version_of(info, 2)));
  });
}

// infer(handle, model, version, requestId, inputs, outputs, arena, parameters?, deadlineMs?) → id
Napi::Value infer(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto binding = binding_of(info);
    auto inference = std::make_unique<Inference>();
    const RequestSpec spec = request_of(info, *inference);
    Napi::Array kept = Napi::Array::New(info.Env(), 2);
    kept.Set(0U, info[4]);
    kept.Set(1U, info[6]);
    return Napi::Number::New(info.Env(), binding->submit(std::move(inference), spec, kept));
  });
}

// cancel(handle, id, late?)
Napi::Value cancel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto binding = binding_of(info);
    if (!info[1].IsNumber()) throw TritonFailure("INVALID_ARG", "id must be a number");
    const std::uint32_t id = info[1].As<Napi::Number>().Uint32Value();
    const auto why = info[2].ToBoolean() ? Withdrawal::deadline : Withdrawal::cancelled;
    return Napi::Boolean::New(info.Env(), binding->server().cancel(id, why));
  });
}

Napi::Value in_flight(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return Napi::Number::New(info.Env(), static_cast<double>(binding_of(info)->server().in_flight()));
  });
}

// openDataPlane(handle, socketPath, pins)
Napi::Value open_data_plane(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto binding = binding_of(info);
    binding->open_data_plane(text(info, 1, "socketPath"), info[2].ToBoolean());
    return info.Env().Undefined();
  });
}

Napi::Value data_plane_counts(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    DataPlane* plane = binding_of(info)->data_plane();
    if (plane == nullptr) return info.Env().Undefined();
    Napi::Object counts = Napi::Object::New(info.Env());
    counts.Set("sessions", static_cast<double>(plane->sessions()));
    counts.Set("requests", static_cast<double>(plane->counts().requests.load()));
    counts.Set("refused", static_cast<double>(plane->counts().refused.load()));
    counts.Set("brokenSessions", static_cast<double>(plane->counts().broken_sessions.load()));
    counts.Set("pinnedSessions", static_cast<double>(plane->counts().pinned_sessions.load()));
    counts.Set("unpinnedSessions", static_cast<double>(plane->counts().unpinned_sessions.load()));
    counts.Set("inCore", static_cast<double>(plane->counts().in_core.load()));
    return counts;
  });
}

Napi::Value open_requests(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return Napi::Number::New(info.Env(), static_cast<double>(binding_of(info)->server().open_requests()));
  });
}

Napi::Value admission_statistics(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return admission_to_js(info.Env(), binding_of(info)->server().admission().statistics());
  });
}

Napi::Value model_work(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::vector<ModelWork> work = binding_of(info)->server().admission().work();
    Napi::Array rows = Napi::Array::New(info.Env(), work.size());
    for (std::uint32_t i = 0; i < work.size(); ++i) rows.Set(i, work_to_js(info.Env(), work[i]));
    return rows;
  });
}

// takeBrokenModels(handle) → [model, message] each
Napi::Value take_broken_models(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    Napi::Array rows = Napi::Array::New(info.Env());
    for (const auto& [model, message] : binding_of(info)->server().take_broken_models()) {
      Napi::Array row = Napi::Array::New(info.Env(), 2);
      row.Set(0U, model);
      row.Set(1U, message);
      rows.Set(rows.Length(), row);
    }
    return rows;
  });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  const auto add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name));
  };
  add("abiVersion", abi_version);
  add("startServer", start_server);
  add("stopServer", stop_server);
  add("isLive", is_live);
  add("isModelReady", is_model_ready);
  add("loadModel", load_model);
  add("unloadModel", unload_model);
  add("repositoryIndex", repository_index);
  add("metrics", metrics);
  add("gpuUse", gpu_use);
  add("serverMetadata", server_metadata);
  add("modelMetadata", model_query<&Server::model_metadata>);
  add("modelConfig", model_query<&Server::model_config>);
  add("modelStatistics", model_query<&Server::model_statistics>);
  add("infer", infer);
  add("cancel", cancel);
  add("inFlight", in_flight);
  add("openRequests", open_requests);
  add("deviceIsBroken", device_broken);
  add("deviceFault", device_fault);
  add("gpus", gpus_to_js);
  add("watchGpus", watch_gpus);
  add("gpuMemory", gpu_memory_to_js);
  add("openDataPlane", open_data_plane);
  add("dataPlaneCounts", data_plane_counts);
  add("admissionStatistics", admission_statistics);
  add("modelWork", model_work);
  add("takeBrokenModels", take_broken_models);
  return exports;
}

}  // namespace

NODE_API_MODULE(triton, init)

}  // namespace roundhouse
