// Why a model doesn't load stands only in what the core and its parser write to standard error.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>

namespace roundhouse {

// While it lives, file descriptor 2 of the process is a pipe; one at a time. A child process passes all that
// comes, from whomever, on to the real standard error at once, so that the last words of a load that crashes
// or is killed get there, and keeps the beginning for us.
class StderrCapture {
 public:
  StderrCapture();
  ~StderrCapture();
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;

  // Ends the capture. What was written, at most the first 64 KiB.
  std::string finish();

 private:
  void release();

  std::unique_lock<std::mutex> only_one_;
  int real_ = -1;
  int kept_ = -1;
  pid_t child_ = -1;
};

}  // namespace roundhouse
