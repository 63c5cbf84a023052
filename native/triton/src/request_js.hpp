// What JavaScript asks for: the settings of a server and its requests. Throws INVALID_ARG.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>

#include "server.hpp"

namespace roundhouse {

// Arguments by their place and name.
std::string text(const Napi::CallbackInfo& info, std::size_t index, const char* name);
std::int64_t version_of(const Napi::CallbackInfo& info, std::size_t index);

ServerSettings settings_of(Napi::Object object);

// Of infer(handle, model, version, requestId, inputs, outputs, arena, parameters?, deadlineMs?): what it asks for, whose
// inputs stay where JavaScript has them, and the arena, which `inference` gets.
RequestSpec request_of(const Napi::CallbackInfo& info, Inference& inference);

}  // namespace roundhouse
