#pragma once

#include <string>
#include <vector>

namespace roundhouse::confine {

/// Of the kernel's Landlock; 0 where it has none or lets nobody use it.
int landlock_version();

/// Files and folders, with all that is below them. What isn't there, and what there is no rule for (a pipe), is passed over.
struct Files {
  /// Of folders, what is in them by name.
  std::vector<std::string> list;
  /// To list, to create folders and to remove what is there; nothing is read or written.
  std::vector<std::string> folders;
  /// To read and to execute.
  std::vector<std::string> read;
  /// To create files and to write them, not to read: what lies there may be others'.
  std::vector<std::string> create;
  /// To read, to write, to create and to remove; of devices their controls, too.
  std::vector<std::string> write;
};

/// What the calling thread, and whatever it starts or becomes, may open from now on (Landlock), as far as the kernel
/// knows each way of changing a file. Signals and abstract Unix sockets of processes outside are closed, too, from
/// version 6 on, and what /proc tells of their memory and environment. Can't be taken back. 0, or errno: it holds of
/// nothing then.
int limit_files(const Files& files);

}  // namespace roundhouse::confine
