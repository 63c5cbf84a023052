// Slots as JavaScript sees them: a view holds the memory, and its lease ends with it at the latest.
#pragma once

#include <napi.h>

#include "client_session.hpp"

namespace roundhouse::shm {

// { slot, generation, memory }
Napi::Object lease_to_js(Napi::Env env, const std::shared_ptr<SlotMemory>& memory, SlotRef lease, std::uint64_t bytes);

// The slot's first bytes, in place. Throws STALE_LEASE, or INVALID_ARG for more bytes than a slot has or a second view.
Napi::ArrayBuffer view_of(Napi::Env env, const std::shared_ptr<SlotMemory>& memory, SlotRef lease, std::uint64_t bytes);

// A copy of them; the lease ends. Throws as above.
Napi::Value copy_out(Napi::Env env, ClientSession& session, SlotRef lease, std::uint64_t bytes);

// Ends a lease and the view of it, a later read of which throws; false for a stale one.
bool release_slot(ClientSession& session, SlotRef lease, const Napi::Value& view);

}  // namespace roundhouse::shm
