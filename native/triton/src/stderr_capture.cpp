#include "stderr_capture.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace roundhouse {
namespace {

std::mutex capture_mutex;
constexpr std::size_t kMaxText = 65536;

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// The core of a machine without a GPU says these at every start and of every ensemble, as errors.
bool is_noise(std::string_view line) {
  constexpr std::string_view driver = "CudaDriverHelper has not been initialized";
  constexpr std::string_view stream = "CUDA driver version is insufficient for CUDA runtime version";
  return line.find(driver) != line.npos || line.find(stream) != line.npos;
}

// Runs in the child, a copy of one thread among many: no lock and no allocation, which another thread may
// have been in the middle of.
class Forwarder {
 public:
  Forwarder(int from, int real, int kept) : from_(from), real_(real), kept_(kept) {}

  void run() {
    for (;;) {
      const ssize_t count = read(from_, buffer_.data() + used_, buffer_.size() - used_);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      keep({buffer_.data() + used_, static_cast<std::size_t>(count)});
      used_ += static_cast<std::size_t>(count);
      pass_lines();
    }
    pass({buffer_.data(), used_});
  }

 private:
  void keep(std::string_view text) {
    const std::string_view part = text.substr(0, kMaxText - kept_bytes_);
    write_all(kept_, part);
    kept_bytes_ += part.size();
  }

  void pass(std::string_view line) const {
    if (!is_noise(line)) write_all(real_, line);
  }

  // A line longer than the buffer is passed on in pieces.
  void pass_lines() {
    std::string_view left(buffer_.data(), used_);
    for (std::size_t end = left.find('\n'); end != left.npos; end = left.find('\n')) {
      pass(left.substr(0, end + 1));
      left.remove_prefix(end + 1);
    }
    if (left.size() == buffer_.size()) {
      pass(left);
      left = {};
    }
    std::memmove(buffer_.data(), left.data(), left.size());
    used_ = left.size();
  }

  int from_;
  int real_;
  int kept_;
  std::size_t kept_bytes_ = 0;
  std::size_t used_ = 0;
  std::array<char, 8192> buffer_;
};

// Ends when nobody has the other end of the pipe any more. Handlers of the process must not run in its copy.
[[noreturn]] void forward(int from, int real, int kept) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) (void)std::signal(number, SIG_IGN);
  Forwarder(from, real, kept).run();
  _exit(0);
}

}  // namespace

StderrCapture::StderrCapture() : only_one_(capture_mutex) {
  std::array<int, 2> ends{-1, -1};
  kept_ = memfd_create("roundhouse-stderr", MFD_CLOEXEC);
  real_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (kept_ < 0 || real_ < 0 || pipe2(ends.data(), O_CLOEXEC) != 0) return;
  child_ = fork();
  if (child_ == 0) {
    close(ends[1]);
    forward(ends[0], real_, kept_);
  }
  if (child_ > 0) dup2(ends[1], STDERR_FILENO);
  close(ends[0]);
  close(ends[1]);
}

StderrCapture::~StderrCapture() {
  release();
  if (real_ >= 0) close(real_);
  if (kept_ >= 0) close(kept_);
}

// With the real standard error in its place again the pipe has no writer, and the child ends.
void StderrCapture::release() {
  if (child_ <= 0) return;
  dup2(real_, STDERR_FILENO);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

std::string StderrCapture::finish() {
  release();
  std::string text(kMaxText, '\0');
  const ssize_t count = kept_ < 0 ? 0 : pread(kept_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

}  // namespace roundhouse
