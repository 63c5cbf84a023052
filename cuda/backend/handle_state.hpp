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

}  // namespace roundhouse::backend
