#include "loop_watcher.hpp"

#include <cstdlib>

#include "failure.hpp"

// The few functions of libuv that are needed; Node exports them and their ABI is fixed within libuv 1. Its header
// is not among Node's API headers.
extern "C" {
struct uv_loop_s;
using uv_poll_callback = void (*)(uv_handle_s*, int, int);
std::size_t uv_handle_size(int type);
int uv_poll_init(uv_loop_s* loop, uv_handle_s* handle, int fd);
int uv_poll_start(uv_handle_s* handle, int events, uv_poll_callback callback);
void uv_close(uv_handle_s* handle, void (*on_closed)(uv_handle_s*));
void uv_ref(uv_handle_s* handle);
void uv_unref(uv_handle_s* handle);
void* uv_handle_get_data(const uv_handle_s* handle);
void uv_handle_set_data(uv_handle_s* handle, void* data);
}

namespace roundhouse::shm {
namespace {

constexpr int kUvPoll = 8;
constexpr int kReadable = 1;
constexpr int kDisconnect = 4;

}  // namespace

// Freed when libuv has closed the handle; an environment that ends waits for that.
struct LoopWatcher::Poll {
  uv_handle_s* handle = nullptr;
  std::function<void()> on_readable;
  napi_async_cleanup_hook_handle cleanup = nullptr;
  LoopWatcher* owner = nullptr;
  bool closing = false;

  void close() {
    if (closing) return;
    closing = true;
    uv_close(handle, [](uv_handle_s* closed) {
      auto* self = static_cast<Poll*>(uv_handle_get_data(closed));
      if (self->cleanup != nullptr) napi_remove_async_cleanup_hook(self->cleanup);
      std::free(closed);
      delete self;
    });
  }
};

LoopWatcher::LoopWatcher(napi_env env, int fd, std::function<void()> on_readable) : poll_(nullptr) {
  uv_loop_s* loop = nullptr;
  if (napi_get_uv_event_loop(env, &loop) != napi_ok) throw ShmFailure("INTERNAL", "no event loop");
  auto poll = std::make_unique<Poll>();
  poll->handle = static_cast<uv_handle_s*>(std::calloc(1, uv_handle_size(kUvPoll)));
  if (poll->handle == nullptr || uv_poll_init(loop, poll->handle, fd) != 0) {
    std::free(poll->handle);
    throw ShmFailure("INTERNAL", "the event loop does not take the descriptor");
  }
  poll->on_readable = std::move(on_readable);
  poll->owner = this;
  uv_handle_set_data(poll->handle, poll.get());
  uv_poll_start(poll->handle, kReadable | kDisconnect, on_poll);
  uv_unref(poll->handle);
  const auto at_end = [](napi_async_cleanup_hook_handle, void* data) {
    auto* self = static_cast<Poll*>(data);
    if (self->owner != nullptr) self->owner->poll_ = nullptr;
    self->owner = nullptr;
    self->close();
  };
  napi_add_async_cleanup_hook(env, at_end, poll.get(), &poll->cleanup);
  poll_ = poll.release();
}

LoopWatcher::~LoopWatcher() {
  if (poll_ == nullptr) return;
  poll_->owner = nullptr;
  poll_->close();
}

void LoopWatcher::hold_process(bool hold) {
  if (poll_ == nullptr) return;
  hold ? uv_ref(poll_->handle) : uv_unref(poll_->handle);
}

void LoopWatcher::on_poll(uv_handle_s* handle, int, int) {
  const auto* self = static_cast<Poll*>(uv_handle_get_data(handle));
  if (self->owner == nullptr) return;
  // The callback may destroy the watcher, and with it the function that runs.
  const std::function<void()> call = self->on_readable;
  call();
}

}  // namespace roundhouse::shm
