// Watches descriptors in the event loop of Node, without a thread between the kernel and JavaScript.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>

struct uv_handle_s;

namespace roundhouse::shm {

// JS thread only. `on_readable` may destroy the watcher.
class LoopWatcher {
 public:
  LoopWatcher(napi_env env, int fd, std::function<void()> on_readable);
  ~LoopWatcher();
  LoopWatcher(const LoopWatcher&) = delete;
  LoopWatcher& operator=(const LoopWatcher&) = delete;

  // Does it keep the process alive? At first it doesn't.
  void hold_process(bool hold);

 private:
  struct Poll;
  static void on_poll(uv_handle_s* handle, int status, int events);
  Poll* poll_;
};

}  // namespace roundhouse::shm
