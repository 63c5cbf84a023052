#include "slot_views.hpp"

#include "../../addon/js_arguments.hpp"
#include "failure.hpp"

namespace roundhouse::shm {
namespace {

void require_unviewed(const std::shared_ptr<SlotMemory>& memory, SlotRef lease, std::uint64_t bytes) {
  if (!memory || !memory->pool.is_held(lease)) throw ShmFailure("STALE_LEASE", "the lease was given back");
  if (!memory->layout.holds(lease.slot, 0, bytes)) invalid("more bytes than the slot has");
  // Its lease would end under the view, and the slot be another's.
  if (memory->views.contains(lease.slot)) invalid("the lease has a view already");
}

}  // namespace

Napi::ArrayBuffer view_of(Napi::Env env, const std::shared_ptr<SlotMemory>& memory, SlotRef lease,
                          std::uint64_t bytes) {
  require_unviewed(memory, lease, bytes);
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

Napi::Object lease_to_js(Napi::Env env, const std::shared_ptr<SlotMemory>& memory, SlotRef lease, std::uint64_t bytes) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("slot", lease.slot);
  object.Set("generation", lease.generation);
  object.Set("memory", view_of(env, memory, lease, bytes));
  return object;
}

Napi::Value copy_out(Napi::Env env, ClientSession& session, SlotRef lease, std::uint64_t bytes) {
  require_unviewed(session.memory(), lease, bytes);
  const auto copy = Napi::Buffer<std::byte>::Copy(env, session.memory()->at(lease), bytes);
  session.give_back(lease);
  return copy;
}

bool release_slot(ClientSession& session, SlotRef lease, const Napi::Value& view) {
  if (!session.memory() || !session.memory()->pool.is_held(lease)) return false;
  if (view.IsArrayBuffer()) view.As<Napi::ArrayBuffer>().Detach();
  session.memory()->disarm(lease.slot);
  return session.give_back(lease);
}

}  // namespace roundhouse::shm
