// What an engine may still do once it is confined, and what no thread of it may, also one that ran before.
#include <cerrno>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

#include "../../native/confine/core/confine.hpp"
#include "check.hpp"

namespace {

int errnoOf(long result) { return result < 0 ? errno : 0; }

int socketOf(int family) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int failure = errnoOf(descriptor);
  if (descriptor >= 0) close(descriptor);
  return failure;
}

std::string statusOf(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key + ":", 0) == 0) return line.substr(line.find_first_not_of(" \t", key.size() + 1));
  }
  return "";
}

void checkRefusals() {
  CHECK_EQUAL(socketOf(AF_INET), EACCES);
  CHECK_EQUAL(socketOf(AF_INET6), EACCES);
  CHECK_EQUAL(socketOf(AF_PACKET), EACCES);
  CHECK_EQUAL(errnoOf(syscall(SYS_io_uring_setup, 1, nullptr)), ENOSYS);
  CHECK_EQUAL(errnoOf(ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr)), EPERM);
  char byte = 0;
  iovec here{&byte, 1};
  CHECK_EQUAL(errnoOf(process_vm_readv(getppid(), &here, 1, &here, 1, 0)), EPERM);
  // Of descriptors that nobody has: the kernel itself would say EBADF.
  CHECK_EQUAL(errnoOf(syscall(SYS_pidfd_getfd, -1, 0, 0)), EPERM);
  CHECK_EQUAL(errnoOf(syscall(SYS_open_tree, -1, "nowhere", 0)), EPERM);
  CHECK_EQUAL(errnoOf(ioctl(-1, TIOCSTI, &byte)), EPERM);
  CHECK_EQUAL(errnoOf(ioctl(-1, TIOCGWINSZ, &byte)), EBADF);
  CHECK_EQUAL(errnoOf(syscall(SYS_fsopen, "tmpfs", 0)), EPERM);
  CHECK_EQUAL(errnoOf(unshare(CLONE_NEWUSER)), EPERM);
  CHECK_EQUAL(errnoOf(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr)), EPERM);
}

void checkWork() {
  CHECK_EQUAL(socketOf(AF_UNIX), 0);
  CHECK_EQUAL(socketOf(AF_NETLINK) == EACCES, false);
  const pid_t child = fork();
  if (child == 0) _exit(socketOf(AF_INET) == EACCES && socketOf(AF_UNIX) == 0 ? 7 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_EQUAL(WEXITSTATUS(status), 7);
  std::atomic<int> later{0};
  std::thread([&] { later = socketOf(AF_INET); }).join();
  CHECK_EQUAL(later.load(), EACCES);
}

}  // namespace

int main() {
  std::atomic<bool> isConfined{false};
  std::atomic<int> earlier{0};
  std::thread thread([&] {
    while (!isConfined) std::this_thread::yield();
    earlier = socketOf(AF_INET);
  });
  const auto [noNewPrivileges, filter] = roundhouse::confine::confine_process();
  isConfined = true;
  thread.join();
  if (filter == ENOSYS || filter == EINVAL) {
    roundhouse::test::skip("this kernel has no seccomp filters");
    return roundhouse::test::finish();
  }
  CHECK_EQUAL(noNewPrivileges, 0);
  CHECK_EQUAL(filter, 0);
  CHECK_EQUAL(earlier.load(), EACCES);
  CHECK_EQUAL(statusOf("NoNewPrivs"), "1");
  CHECK_EQUAL(statusOf("Seccomp"), "2");
  checkRefusals();
  checkWork();
  return roundhouse::test::finish();
}
