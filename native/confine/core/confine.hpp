#pragma once

namespace roundhouse::confine {

/// What holds of every thread of the process from now on, and of whatever it starts. 0: it holds; else errno.
struct Confinement {
  /// Nothing that is executed gives more privileges (PR_SET_NO_NEW_PRIVS).
  int no_new_privileges;
  /// Sockets of Unix and of netlink only, nothing read or taken from another process (memory, descriptors), nothing
  /// typed into a terminal, no namespaces, mounts, modules or BPF (seccomp).
  int filter;
};

/// Can't be taken back. A kernel or a sandbox that has no filters leaves the process as it was, and says so.
Confinement confine_process();

}  // namespace roundhouse::confine
