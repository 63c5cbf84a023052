// Answers come as rows, [kind, id, …] as in answers.ts: names of properties would cost more than the rest.
#pragma once

#include <napi.h>

#include <cstring>

#include "client_session.hpp"

namespace roundhouse::shm {

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

// All answers there are. A peer that breaks the protocol ends the session.
Napi::Array answers_to_js(Napi::Env env, ClientSession& session, Slab& slab);

}  // namespace roundhouse::shm
