// Why a model doesn't load stands only in what the core and its parser write to standard error.
#pragma once

#include <mutex>
#include <string>

namespace roundhouse {

// While it lives, file descriptor 2 of the process is a file of ours; one at a time. What was written
// meanwhile, by whomever, comes out on the real standard error at the end.
class StderrCapture {
 public:
  StderrCapture();
  ~StderrCapture();
  StderrCapture(const StderrCapture&) = delete;
  StderrCapture& operator=(const StderrCapture&) = delete;

  // What was written so far, at most the first 64 KiB.
  std::string text() const;

 private:
  std::unique_lock<std::mutex> only_one_;
  int real_ = -1;
  int file_ = -1;
};

}  // namespace roundhouse
