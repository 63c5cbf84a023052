#pragma once

#include <unistd.h>

#include <cstdio>

#include "check.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace roundhouse::test {

// The core's detached threads may still run: no static destructors under them.
[[noreturn]] inline void finish_and_exit() {
  int status = finish();
  std::fflush(stdout);
#if defined(__SANITIZE_ADDRESS__)
  if (__lsan_do_recoverable_leak_check() != 0) status = 1;
#endif
  _exit(status);
}

}  // namespace roundhouse::test
