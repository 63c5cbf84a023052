#include "thread_grace.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace roundhouse {

// False for a thread that is gone.
bool ThreadGrace::read(pid_t thread, State& state) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/status", thread);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 16384> text{};
  const ssize_t length = ::read(file, text.data(), text.size() - 1);
  close(file);
  if (length <= 0) return false;
  const char* letter = std::strstr(text.data(), "\nState:\t");
  const char* count = std::strstr(text.data(), "\nvoluntary_ctxt_switches:\t");
  // Nothing known of it: it counts as awake, and as having never slept.
  if (letter == nullptr || count == nullptr) return true;
  state.asleep = letter[8] == 'S';
  state.sleeps = std::atoll(std::strchr(count, '\t') + 1);
  return true;
}

ThreadGrace::ThreadGrace() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return;
  const pid_t self = gettid();
  while (const dirent* entry = readdir(tasks)) {
    const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
    State state;
    if (thread <= 0 || thread == self || thread == getpid() || !read(thread, state) || state.asleep) continue;
    awake_.emplace(thread, state.sleeps);
  }
  closedir(tasks);
}

bool ThreadGrace::passed() {
  for (auto next = awake_.begin(); next != awake_.end();) {
    State state;
    const bool waited_for = read(next->first, state) && !state.asleep && state.sleeps == next->second;
    next = waited_for ? std::next(next) : awake_.erase(next);
  }
  return awake_.empty();
}

}  // namespace roundhouse
