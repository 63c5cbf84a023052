// What is written to standard error during a capture gets out, whole and at once, whatever becomes of the process.
#include "stderr_capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

#include "check.hpp"

namespace {

using roundhouse::StderrCapture;

void say(const std::string& text) {
  if (write(STDERR_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

// A process of its own whose standard error is a pipe to us.
struct Process {
  pid_t pid = -1;
  int errors = -1;
};

Process begin(const std::function<void()>& body) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit no_core{0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  return {pid, ends[0]};
}

struct End {
  std::string errors;
  int status = 0;
};

End wait_for(const Process& process) {
  End end;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = read(process.errors, part.data(), part.size())) > 0;) {
    end.errors.append(part.data(), static_cast<std::size_t>(count));
  }
  close(process.errors);
  waitpid(process.pid, &end.status, 0);
  return end;
}

// 5,000 lines of 40 bytes: 200,000 bytes, more than a pipe holds and than is kept.
std::string many_lines() {
  std::string text;
  for (int line = 0; line < 5'000; ++line) {
    const std::string number = std::to_string(line);
    text += number + std::string(39 - number.size(), '.') + "\n";
  }
  return text;
}

void check_ends_badly(int signal) {
  const std::string text = many_lines() + "the last words, without an end of line";
  const End end = wait_for(begin([&] {
    const StderrCapture capture;
    say(text);
    if (signal == SIGABRT) std::abort();
    raise(signal);
  }));
  CHECK(WIFSIGNALED(end.status) && WTERMSIG(end.status) == signal);
  CHECK_THAT(end.errors == text, std::to_string(end.errors.size()) + " bytes at signal " + std::to_string(signal));
}

void check_kept_part() {
  const std::string text = many_lines();
  const End end = wait_for(begin([&] {
    StderrCapture capture;
    say(text);
    if (capture.finish() != text.substr(0, 65'536)) _exit(1);
    say("afterwards\n");
    if (capture.finish() != text.substr(0, 65'536)) _exit(2);
  }));
  CHECK_EQUAL(end.status, 0);
  CHECK(end.errors == text + "afterwards\n");
}

void check_noise() {
  const End end = wait_for(begin([] {
    for (int i = 0; i < 2; ++i) {
      StderrCapture capture;
      say("before\nE: CudaDriverHelper has not been initialized.\nafter\n");
      if (capture.finish().find("CudaDriverHelper") == std::string::npos) _exit(1);
    }
  }));
  CHECK_EQUAL(end.status, 0);
  CHECK_EQUAL(end.errors, "before\nafter\nbefore\nafter\n");
}

void check_at_once() {
  const Process process = begin([] {
    const StderrCapture capture;
    say("a word\n");
    pause();
  });
  pollfd waiting{process.errors, POLLIN, 0};
  CHECK_EQUAL(poll(&waiting, 1, 30'000), 1);
  kill(process.pid, SIGKILL);
  CHECK_EQUAL(wait_for(process).errors, "a word\n");
}

void check_long_line() {
  const std::string text(20'000, 'x');
  const End end = wait_for(begin([&] {
    const StderrCapture capture;
    say(text);
  }));
  CHECK(end.errors == text);
}

}  // namespace

int main() {
  for (const int signal : {SIGABRT, SIGSEGV, SIGKILL}) check_ends_badly(signal);
  check_kept_part();
  check_noise();
  check_at_once();
  check_long_line();
  return roundhouse::test::finish();
}
