#include "plan_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "file_bytes.hpp"
#include "plan_file.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

namespace fs = std::filesystem;

std::string fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path usualFolder() {
  if (const std::string named = fromEnvironment("ROUNDHOUSE_PLAN_DIR"); !named.empty()) return named;
  if (const std::string cache = fromEnvironment("XDG_CACHE_HOME"); !cache.empty()) {
    return fs::path(cache) / "roundhouse" / "plans";
  }
  const std::string home = fromEnvironment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "roundhouse" / "plans";
}

/// A plan is code that a GPU runs: '' where nobody but this user and root can have written it, else who can.
std::string whoElseWrites(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "";
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return path.string() + " belongs to user " + std::to_string(status.st_uid);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return path.string() + " can be written by other users";
  return "";
}

/// Makes a folder for this user alone. Those above it are as the process makes folders.
bool makeFolder(const fs::path& folder, std::error_code& failed) {
  fs::create_directories(folder.parent_path(), failed);
  if (failed) return false;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) failed = {errno, std::generic_category()};
  if (!failed && !fs::is_directory(folder, failed) && !failed) failed = std::make_error_code(std::errc::not_a_directory);
  return !failed;
}

/// Closes and removes a file unless it was given its name.
class NewFile {
 public:
  /// Beside `target`, under a name that nothing has: a process that was killed may have left one of the same number.
  explicit NewFile(const fs::path& target)
      : path_(target.string() + ".new-XXXXXX"), descriptor_(mkostemp(path_.data(), O_CLOEXEC)) {}
  ~NewFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!named_) unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// False with errno where the disk is full or the like.
  bool write(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + at, bytes.size() - at);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      at += static_cast<std::size_t>(count);
    }
    return fsync(descriptor_) == 0;
  }
  bool rename(const fs::path& to) { return named_ = std::rename(path_.c_str(), to.c_str()) == 0; }
  bool isOpen() const { return descriptor_ >= 0; }

 private:
  std::string path_;
  int descriptor_;
  bool named_ = false;
};

}  // namespace

PlanStore::PlanStore(const fs::path& folder) : folder_(folder.empty() ? usualFolder() : folder) {}

std::optional<std::string> PlanStore::find(const PlanKey& key, std::string& fault) const {
  fault.clear();
  if (folder_.empty()) return std::nullopt;
  const fs::path path = folder_ / fileNameOf(key);
  if (!fs::exists(path)) return std::nullopt;
  fault = whoElseWrites(folder_);
  if (fault.empty()) fault = whoElseWrites(path);
  if (!fault.empty()) return std::nullopt;
  const auto bytes = fileBytes(path);
  if (!bytes) return std::nullopt;
  auto file = decodePlan(std::string(bytes->begin(), bytes->end()), fault);
  if (!file) return std::nullopt;
  if (file->key != key) {
    fault = "it is another plan's";
    return std::nullopt;
  }
  return std::move(file->plan);
}

std::string PlanStore::keep(const PlanKey& key, const std::string& plan) const {
  if (folder_.empty()) return "there is neither ROUNDHOUSE_PLAN_DIR nor a home folder";
  std::error_code failed;
  if (!makeFolder(folder_, failed)) return folder_.string() + ": " + failed.message();
  if (const std::string others = whoElseWrites(folder_); !others.empty()) return others;
  const fs::path target = folder_ / fileNameOf(key);
  NewFile file(target);
  if (file.isOpen() && file.write(encodePlan({key, plan})) && file.rename(target)) return "";
  return target.string() + ": " + std::strerror(errno);
}

}  // namespace roundhouse::delivery_time::gpu
