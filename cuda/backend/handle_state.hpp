#pragma once

#include "triton_error.hpp"

namespace roundhouse::backend {

/// What a backend has set as the state of a model; null where its initialising failed.
template <typename Model>
Model* modelState(TRITONBACKEND_Model* handle) {
  void* state = nullptr;
  check(TRITONBACKEND_ModelState(handle, &state));
  return static_cast<Model*>(state);
}

/// The same of an instance.
template <typename Instance>
Instance* instanceState(TRITONBACKEND_ModelInstance* handle) {
  void* state = nullptr;
  check(TRITONBACKEND_ModelInstanceState(handle, &state));
  return static_cast<Instance*>(state);
}

inline TRITONBACKEND_Model* modelOf(TRITONBACKEND_ModelInstance* instance) {
  TRITONBACKEND_Model* model = nullptr;
  check(TRITONBACKEND_ModelInstanceModel(instance, &model));
  return model;
}

/// The entry point that makes a model's state: load(handle) returns a std::unique_ptr of it, or throws.
template <typename Load>
TRITONSERVER_Error* initializeModel(TRITONBACKEND_Model* handle, Load&& load) noexcept {
  return guarded([&] {
    auto model = load(handle);
    check(TRITONBACKEND_ModelSetState(handle, model.get()));
    model.release();
  });
}

template <typename Model>
TRITONSERVER_Error* finalizeModel(TRITONBACKEND_Model* handle) noexcept {
  return guarded([&] { delete modelState<Model>(handle); });
}

/// The same for an instance.
template <typename Make>
TRITONSERVER_Error* initializeInstance(TRITONBACKEND_ModelInstance* handle, Make&& make) noexcept {
  return guarded([&] {
    auto instance = make(handle);
    check(TRITONBACKEND_ModelInstanceSetState(handle, instance.get()));
    instance.release();
  });
}

template <typename Instance>
TRITONSERVER_Error* finalizeInstance(TRITONBACKEND_ModelInstance* handle) noexcept {
  return guarded([&] { delete instanceState<Instance>(handle); });
}

}  // namespace roundhouse::backend
