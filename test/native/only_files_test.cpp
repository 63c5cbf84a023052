// What a process may open that was limited to files of its own, and what it may still do with those.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "../../native/confine/core/files.hpp"
#include "check.hpp"

namespace {

using roundhouse::confine::Files;

int errno_of(long result) { return result < 0 ? errno : 0; }

int opened(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0600);
  const int failure = errno_of(descriptor);
  if (descriptor >= 0) close(descriptor);
  return failure;
}

void write_file(const std::string& path) { std::ofstream(path) << "x"; }

/// `listed`, `folders`, `read`, `created`, `written` and `closed`, with a file in each.
std::string make_folders() {
  char name[] = "/tmp/roundhouse-only-files-XXXXXX";
  const std::string folder = mkdtemp(name);
  for (const char* kind : {"listed", "folders", "read", "created", "written", "closed"}) {
    mkdir((folder + "/" + kind).c_str(), 0700);
    write_file(folder + "/" + kind + "/file");
  }
  CHECK_EQUAL(errno_of(symlink("circle", (folder + "/circle").c_str())), 0);
  return folder;
}

void check_files(const std::string& folder) {
  CHECK_EQUAL(opened(folder + "/read/file", O_RDONLY), 0);
  CHECK_EQUAL(opened(folder + "/read", O_RDONLY | O_DIRECTORY), 0);
  CHECK_EQUAL(opened(folder + "/read/file", O_WRONLY), EACCES);
  CHECK_EQUAL(opened(folder + "/read/new", O_WRONLY | O_CREAT), EACCES);
  CHECK_EQUAL(errno_of(unlink((folder + "/read/file").c_str())), EACCES);
  CHECK_EQUAL(opened(folder + "/listed", O_RDONLY | O_DIRECTORY), 0);
  CHECK_EQUAL(opened(folder + "/listed/file", O_RDONLY), EACCES);
  CHECK_EQUAL(errno_of(mkdir((folder + "/folders/new").c_str(), 0700)), 0);
  CHECK_EQUAL(opened(folder + "/folders/new", O_RDONLY | O_DIRECTORY), 0);
  CHECK_EQUAL(opened(folder + "/folders/new/file", O_WRONLY | O_CREAT), EACCES);
  // Of a folder libc tries both, and is content with EISDIR alone.
  CHECK_EQUAL(errno_of(remove((folder + "/folders/new").c_str())), 0);
  CHECK_EQUAL(opened(folder + "/folders/file", O_RDONLY), EACCES);
  CHECK_EQUAL(opened(folder + "/folders/file", O_WRONLY), EACCES);
  CHECK_EQUAL(opened(folder + "/folders/other", O_WRONLY | O_CREAT), EACCES);
  CHECK_EQUAL(opened(folder + "/created/new", O_WRONLY | O_CREAT | O_EXCL), 0);
  CHECK_EQUAL(errno_of(truncate((folder + "/created/new").c_str(), 0)), 0);
  CHECK_EQUAL(opened(folder + "/created/new", O_RDONLY), EACCES);
  CHECK_EQUAL(opened(folder + "/created/file", O_RDONLY), EACCES);
  CHECK_EQUAL(opened(folder + "/created", O_RDONLY | O_DIRECTORY), EACCES);
  CHECK_EQUAL(errno_of(unlink((folder + "/created/file").c_str())), EACCES);
  CHECK_EQUAL(opened(folder + "/written/new", O_WRONLY | O_CREAT), 0);
  CHECK_EQUAL(errno_of(rename((folder + "/written/new").c_str(), (folder + "/written/other").c_str())), 0);
  CHECK_EQUAL(errno_of(mkfifo((folder + "/written/fifo").c_str(), 0600)), 0);
  CHECK_EQUAL(errno_of(unlink((folder + "/written/other").c_str())), 0);
  CHECK_EQUAL(opened(folder + "/closed/file", O_RDONLY), EACCES);
  CHECK_EQUAL(opened(folder + "/closed", O_RDONLY | O_DIRECTORY), EACCES);
  CHECK_EQUAL(opened(folder, O_RDONLY | O_DIRECTORY), EACCES);
  // Nor by a name of one's own for it.
  CHECK_EQUAL(errno_of(symlink((folder + "/closed/file").c_str(), (folder + "/written/link").c_str())), 0);
  CHECK_EQUAL(opened(folder + "/written/link", O_RDONLY), EACCES);
  CHECK_EQUAL(errno_of(link((folder + "/closed/file").c_str(), (folder + "/written/hard").c_str())) == 0, false);
}

void check_others(int version) {
  int later = 0;
  std::thread([&] { later = opened("/", O_RDONLY | O_DIRECTORY); }).join();
  CHECK_EQUAL(later, EACCES);
  CHECK_EQUAL(opened("/proc/" + std::to_string(getppid()) + "/mem", O_RDONLY), EACCES);
  if (version >= 6) CHECK_EQUAL(errno_of(kill(getppid(), 0)), EPERM);
  CHECK_EQUAL(errno_of(kill(getpid(), 0)), 0);
}

/// Limits itself; the counts of its checks are its own, so it ends with 1 where one failed.
int in_child(const std::string& folder, int version) {
  int ends[2];
  CHECK_EQUAL(pipe2(ends, O_CLOEXEC), 0);
  const int pipe_end = ends[0];
  const pid_t child = fork();
  if (child == 0) {
    const Files files{.list = {folder + "/listed"},
                      .folders = {folder + "/folders"},
                      .read = {folder + "/read", "/proc", folder + "/not/there", folder + "/circle",
                               "/" + std::string(300, 'a'), "/proc/self/fd/" + std::to_string(pipe_end)},
                      .create = {folder + "/created"},
                      .write = {folder + "/written"}};
    CHECK_EQUAL(roundhouse::confine::limit_files(files), 0);
    check_files(folder);
    check_others(version);
    std::fflush(stdout);
    _exit(roundhouse::test::counts().failed == 0 ? 0 : 1);
  }
  for (const int end : ends) close(end);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

int main() {
  const int version = roundhouse::confine::landlock_version();
  if (version == 0) {
    roundhouse::test::skip("this kernel has no Landlock");
    return roundhouse::test::finish();
  }
  const std::string folder = make_folders();
  CHECK_EQUAL(in_child(folder, version), 0);
  // Whoever started it has lost nothing.
  CHECK_EQUAL(opened(folder + "/closed/file", O_RDWR), 0);
  CHECK_EQUAL(std::system(("rm -r " + folder).c_str()), 0);
  return roundhouse::test::finish();
}
