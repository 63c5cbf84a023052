// What JavaScript asks for: the settings of a session and its requests. Throws INVALID_ARG.
#pragma once

#include <napi.h>

#include "client_session.hpp"

namespace roundhouse::shm {

SessionSettings settings_of(Napi::Object object);

// Of submit(handle, id, model, version, requestId, deadlineMs, inputs, outputs, outputBytes, inlineIfEmpty, lease?,
// parameters?): arguments in a row, since names of properties would cost more than the rest of a small request.
ClientRequest request_of(const Napi::CallbackInfo& info);

}  // namespace roundhouse::shm
