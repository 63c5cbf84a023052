#include "stderr_capture.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <sstream>

namespace roundhouse {
namespace {

std::mutex capture_mutex;
constexpr std::size_t kMaxText = 65536;

void write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

// The core of a machine without a GPU says this at every start, as an error.
bool is_noise(const std::string& line) { return line.find("CudaDriverHelper has not been initialized") != std::string::npos; }

void replay(int file, const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!is_noise(line)) kept += line + "\n";
  }
  write_all(file, kept);
}

}  // namespace

StderrCapture::StderrCapture() : only_one_(capture_mutex) {
  file_ = memfd_create("roundhouse-stderr", MFD_CLOEXEC);
  if (file_ < 0) return;
  real_ = dup(STDERR_FILENO);
  if (real_ >= 0) dup2(file_, STDERR_FILENO);
}

StderrCapture::~StderrCapture() {
  if (real_ >= 0) {
    dup2(real_, STDERR_FILENO);
    replay(real_, text());
    close(real_);
  }
  if (file_ >= 0) close(file_);
}

std::string StderrCapture::text() const {
  std::string text;
  std::array<char, 4096> part{};
  for (off_t offset = 0; file_ >= 0 && text.size() < kMaxText;) {
    const ssize_t count = pread(file_, part.data(), part.size(), offset);
    if (count <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
    offset += count;
  }
  return text;
}

}  // namespace roundhouse
