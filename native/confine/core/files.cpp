#include "files.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace roundhouse::confine {
namespace {

// linux/landlock.h, of which the build machine may have an old one or none. The numbers are those of every architecture.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

enum Access : std::uint64_t {
  kExecute = 1U << 0,
  kWriteFile = 1U << 1,
  kReadFile = 1U << 2,
  kReadDir = 1U << 3,
  kRemoveDir = 1U << 4,
  kRemoveFile = 1U << 5,
  kMakeChar = 1U << 6,
  kMakeDir = 1U << 7,
  kMakeFile = 1U << 8,
  kMakeBlock = 1U << 11,
  kUpToVersion1 = (1U << 13) - 1,
  kRefer = 1U << 13,
  kTruncate = 1U << 14,
  kControlDevice = 1U << 15,
};
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kControlDevice;
constexpr std::uint64_t kToRead = kExecute | kReadFile | kReadDir;
constexpr std::uint64_t kToCreate = kWriteFile | kMakeFile | kTruncate;
constexpr std::uint64_t kForFolders = kReadDir | kMakeDir | kRemoveDir | kRemoveFile;
constexpr std::uint64_t kNobodys = kMakeChar | kMakeBlock;

struct Ruleset {
  std::uint64_t files;
  std::uint64_t network;
  /// Abstract Unix sockets, signals.
  std::uint64_t scoped;
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed;
  std::int32_t descriptor;
};

std::uint64_t known_accesses(int version) {
  std::uint64_t known = kUpToVersion1;
  if (version >= 2) known |= kRefer;
  if (version >= 3) known |= kTruncate;
  if (version >= 5) known |= kControlDevice;
  return known;
}

/// An older kernel refuses fields that it doesn't know.
std::size_t ruleset_bytes(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

/// It leads nowhere for this process: without a rule it stays closed, and that alone.
bool leads_nowhere(int failure) {
  return failure == ENOENT || failure == ENOTDIR || failure == EACCES || failure == ELOOP || failure == ENAMETOOLONG;
}

int allow(int ruleset, const std::string& path, std::uint64_t accesses) {
  const int descriptor = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (descriptor < 0) return leads_nowhere(errno) ? 0 : errno;
  struct stat status {};
  int failure = fstat(descriptor, &status) == 0 ? 0 : errno;
  if (failure == 0) {
    const PathBeneath rule{S_ISDIR(status.st_mode) ? accesses : accesses & kOfFiles, descriptor};
    // EBADFD: a pipe or the like (/dev/stdout), which Landlock neither closes nor has rules for.
    if (syscall(kAddRule, ruleset, kPathBeneath, &rule, 0) != 0 && errno != EBADFD) failure = errno;
  }
  close(descriptor);
  return failure;
}

int allow_all(int ruleset, const std::vector<std::string>& paths, std::uint64_t accesses) {
  for (const std::string& path : paths) {
    if (const int failure = allow(ruleset, path, accesses); failure != 0) return failure;
  }
  return 0;
}

int enforce(int ruleset, const Files& files, std::uint64_t known) {
  if (const int failure = allow_all(ruleset, files.list, known & kReadDir); failure != 0) return failure;
  if (const int failure = allow_all(ruleset, files.folders, known & kForFolders); failure != 0) return failure;
  if (const int failure = allow_all(ruleset, files.read, known & kToRead); failure != 0) return failure;
  if (const int failure = allow_all(ruleset, files.create, known & kToCreate); failure != 0) return failure;
  if (const int failure = allow_all(ruleset, files.write, known & ~kNobodys); failure != 0) return failure;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return syscall(kRestrictSelf, ruleset, 0) == 0 ? 0 : errno;
}

}  // namespace

int landlock_version() {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

int limit_files(const Files& files) {
  const int version = landlock_version();
  if (version == 0) return ENOSYS;
  const std::uint64_t known = known_accesses(version);
  const Ruleset wanted{known, 0, version >= 6 ? 3U : 0U};
  const long ruleset = syscall(kCreateRuleset, &wanted, ruleset_bytes(version), 0);
  if (ruleset < 0) return errno;
  const int failure = enforce(static_cast<int>(ruleset), files, known);
  close(static_cast<int>(ruleset));
  return failure;
}

}  // namespace roundhouse::confine
