// Waits until every thread of this process that ran when the wait began has been asleep once.
#pragma once

#include <sys/types.h>

#include <unordered_map>

namespace roundhouse {

// What a thread did before it slept is done: as a grace period of RCU, with sleep as the quiet state.
class ThreadGrace {
 public:
  // Remembers which threads are not asleep now. Not the caller's, nor the process's first one: that runs JavaScript and
  // no model, and under load it may not sleep for seconds.
  ThreadGrace();
  // True once each of them has ended, is asleep or was. Cheap enough to ask every few milliseconds.
  bool passed();

 private:
  struct State {
    bool asleep = false;
    long long sleeps = 0;
  };
  static bool read(pid_t thread, State& state);

  // Sleeps so far of the threads that are still waited for.
  std::unordered_map<pid_t, long long> awake_;
};

}  // namespace roundhouse
