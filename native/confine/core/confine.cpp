#include "confine.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

namespace roundhouse::confine {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

/// Calls of the x32 ABI, which have numbers of their own, begin here.
constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr std::uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                         CLONE_NEWPID | CLONE_NEWNET;
constexpr unsigned int kNamesOfSockets[] = {AF_UNIX, AF_NETLINK};
/// They type into the terminal that the process was started from, or paste there.
constexpr unsigned int kTerminalInput[] = {TIOCSTI, TIOCLINUX};

/// Nothing here is needed to compute.
constexpr int kRefused[] = {
    SYS_ptrace,         SYS_process_vm_readv,  SYS_process_vm_writev, SYS_mount,      SYS_umount2,
    SYS_pivot_root,     SYS_chroot,            SYS_unshare,           SYS_setns,      SYS_bpf,
    SYS_kexec_load,     SYS_kexec_file_load,   SYS_init_module,       SYS_swapon,     SYS_finit_module,
    SYS_delete_module,  SYS_perf_event_open,   SYS_userfaultfd,       SYS_reboot,     SYS_open_by_handle_at,
    SYS_add_key,        SYS_request_key,       SYS_keyctl,            SYS_swapoff,    SYS_settimeofday,
    SYS_clock_settime,  SYS_clock_adjtime,     SYS_adjtimex,          SYS_acct,       SYS_quotactl,
    SYS_sethostname,    SYS_setdomainname,     SYS_personality,       SYS_syslog,     SYS_pidfd_getfd,
    SYS_kcmp,           SYS_process_madvise,   SYS_fsopen,            SYS_fsconfig,   SYS_fsmount,
    SYS_fspick,         SYS_move_mount,        SYS_open_tree,         SYS_mount_setattr,
};

/// A library falls back to older calls, whose arguments a filter can see.
constexpr int kAbsent[] = {
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_clone3,
};

constexpr std::uint32_t refused_with(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

class Filter {
 public:
  void load(std::size_t offset) { add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset))); }

  void load_argument(unsigned index) { load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t)); }

  void answer(std::uint32_t verdict) { add(BPF_STMT(BPF_RET | BPF_K, verdict)); }

  void if_equal(std::uint32_t value, std::uint32_t verdict) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    answer(verdict);
  }

  void unless_equal(std::uint32_t value, std::uint32_t verdict) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    answer(verdict);
  }

  void if_any_bit(std::uint32_t bits, std::uint32_t verdict) {
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    answer(verdict);
  }

  void if_at_least(std::uint32_t value, std::uint32_t verdict) {
    add(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1));
    answer(verdict);
  }

  /// What `body` adds is for this call alone.
  template <typename Body>
  void of_call(int number, Body body) {
    const std::size_t jump = instructions_.size();
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 0));
    body();
    instructions_[jump].jf = static_cast<std::uint8_t>(instructions_.size() - jump - 1);
  }

  std::vector<sock_filter>& instructions() { return instructions_; }

 private:
  void add(sock_filter instruction) { instructions_.push_back(instruction); }

  std::vector<sock_filter> instructions_;
};

Filter engine_filter() {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.unless_equal(kArchitecture, refused_with(ENOSYS));
  filter.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  filter.if_at_least(kX32Bit, refused_with(ENOSYS));
#endif
  for (const int number : kRefused) filter.if_equal(static_cast<std::uint32_t>(number), refused_with(EPERM));
  for (const int number : kAbsent) filter.if_equal(static_cast<std::uint32_t>(number), refused_with(ENOSYS));
  filter.of_call(SYS_socket, [&] {
    filter.load_argument(0);
    for (const unsigned int name : kNamesOfSockets) filter.if_equal(name, SECCOMP_RET_ALLOW);
    filter.answer(refused_with(EACCES));
  });
  filter.of_call(SYS_ioctl, [&] {
    filter.load_argument(1);
    for (const unsigned int request : kTerminalInput) filter.if_equal(request, refused_with(EPERM));
    filter.answer(SECCOMP_RET_ALLOW);
  });
  filter.of_call(SYS_clone, [&] {
    filter.load_argument(0);
    filter.if_any_bit(kNewNamespaces, refused_with(EPERM));
    filter.answer(SECCOMP_RET_ALLOW);
  });
  filter.answer(SECCOMP_RET_ALLOW);
  return filter;
}

int install_filter() {
  if (kArchitecture == 0) return ENOTSUP;
  auto instructions = engine_filter().instructions();
  sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
  const long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  if (result == 0) return 0;
  // Above 0: the thread that has a filter of another kind.
  return result < 0 ? errno : EBUSY;
}

}  // namespace

Confinement confine_process() {
  const int no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
  // Without it a filter is refused to everybody but root, and would be inherited by what has more privileges.
  return {no_new_privileges, no_new_privileges == 0 ? install_filter() : no_new_privileges};
}

}  // namespace roundhouse::confine
