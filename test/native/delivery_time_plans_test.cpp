// What keeps TensorRT plans: their keys, files and folders.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "plan_file.hpp"
#include "plan_store.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::delivery_time;
using namespace roundhouse::delivery_time::gpu;
namespace fs = std::filesystem;

const PlanKey kKey{"ab12", "NVIDIA H200, compute capability 9.0, 132 multiprocessors", "10.6.0.26", "tf32", "256 65536"};

void checkKeys() {
  CHECK_EQUAL(textOf(kKey), "network ab12\ngpu NVIDIA H200, compute capability 9.0, 132 multiprocessors\n"
                            "library 10.6.0.26\nprecision tf32\nprofiles 256 65536\n");
  std::set<std::string> names{fileNameOf(kKey)};
  for (std::string PlanKey::*part :
       {&PlanKey::network, &PlanKey::gpu, &PlanKey::library, &PlanKey::precision, &PlanKey::profiles}) {
    PlanKey other = kKey;
    other.*part += "1";
    names.insert(fileNameOf(other));
  }
  CHECK_EQUAL(names.size(), 6U);
  CHECK_EQUAL(fileNameOf(kKey).size(), 32U + 5U);
}

void checkObstacles() {
  PlanKey here = kKey;
  here.precision = "fp32";
  here.network = "";
  CHECK_EQUAL(obstacle(kKey, here), "");
  here.library = "10.7.0.23";
  CHECK_EQUAL(obstacle(kKey, here), "was built by TensorRT 10.6.0.26, not 10.7.0.23");
  here.gpu = "NVIDIA L4, compute capability 8.9, 58 multiprocessors";
  CHECK_EQUAL(obstacle(kKey, here),
              "was built for the GPU NVIDIA H200, compute capability 9.0, 132 multiprocessors, not NVIDIA L4, compute "
              "capability 8.9, 58 multiprocessors, and by TensorRT 10.6.0.26, not 10.7.0.23");
  here.library = kKey.library;
  CHECK(obstacle(kKey, here).ends_with("58 multiprocessors"));
}

std::string faultOf(const std::string& bytes) {
  std::string fault;
  CHECK(!decodePlan(bytes, fault));
  return fault;
}

void checkFiles() {
  const std::string plan("\0\nplan\n\n\xff", 9);
  const std::string bytes = encodePlan({kKey, plan});
  std::string fault = "x";
  const auto decoded = decodePlan(bytes, fault);
  CHECK(decoded && decoded->key == kKey && decoded->plan == plan && fault.empty());
  CHECK(isPlanFile(bytes) && !isPlanFile(plan) && !isPlanFile(""));
  CHECK_EQUAL(faultOf(bytes.substr(0, bytes.size() - 2)), "it has 7 bytes of 9");
  CHECK_EQUAL(faultOf(bytes + "x"), "it has 10 bytes of 9");
  CHECK_EQUAL(faultOf("ftrt"), "it is no plan file");
  // Cut anywhere, it is never taken for whole.
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(!faultOf(bytes.substr(0, size)).empty());
  std::string changed = bytes;
  changed[changed.size() - 1] = 'x';
  CHECK_EQUAL(faultOf(changed), "its bytes were changed");
  changed = bytes;
  changed[changed.find("library")] = 'L';
  CHECK_EQUAL(faultOf(changed), "its header is broken");
}

void checkBarePlans() {
  std::string plan(40, '\1');
  CHECK_EQUAL(versionOfBarePlan(plan), "");
  plan.replace(0, 4, "ftrt");
  plan.replace(24, 4, std::string("\x0a\x06\x00\x1a", 4));
  CHECK_EQUAL(versionOfBarePlan(plan), "10.6.0.26");
  CHECK_EQUAL(versionOfBarePlan(plan.substr(0, 27)), "");
}

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("roundhouse-plans-" + std::to_string(getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
    chmod(path.c_str(), 0755);
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

void checkStore() {
  const Folder folder;
  const PlanStore store(folder.path);
  std::string fault = "x";
  CHECK(!store.find(kKey, fault) && fault.empty());
  CHECK_EQUAL(store.keep(kKey, "first"), "");
  CHECK_EQUAL(store.keep(kKey, "second"), "");
  CHECK(store.find(kKey, fault) == "second" && fault.empty());
  CHECK_EQUAL(folder.files(), 1U);
  const fs::path file = folder.path / fileNameOf(kKey);
  struct stat status{};
  CHECK(stat(file.c_str(), &status) == 0 && (status.st_mode & 0777) == 0600);
  // Damaged, or under another's name: not taken, and replaced by the next build.
  std::ofstream(file, std::ios::trunc) << "half";
  CHECK(!store.find(kKey, fault));
  CHECK_EQUAL(fault, "it is no plan file");
  PlanKey other = kKey;
  other.library = "10.7.0.23";
  CHECK_EQUAL(store.keep(other, "other"), "");
  fs::rename(folder.path / fileNameOf(other), file);
  CHECK(!store.find(kKey, fault));
  CHECK_EQUAL(fault, "it is another plan's");
  CHECK_EQUAL(store.keep(kKey, "third"), "");
  CHECK(store.find(kKey, fault) == "third");
}

/// A plan is code: what others own, or can write, is not run, and nothing is put there.
void checkStoreOfOthers() {
  const Folder folder;
  const PlanStore store(folder.path);
  const std::string file = (folder.path / fileNameOf(kKey)).string();
  const auto faultNow = [&] {
    std::string fault;
    CHECK(!store.find(kKey, fault));
    return fault;
  };
  CHECK_EQUAL(store.keep(kKey, "plan"), "");
  for (const mode_t mode : {0660, 0606}) {
    CHECK_EQUAL(chmod(file.c_str(), mode), 0);
    CHECK_EQUAL(faultNow(), file + " can be written by other users");
  }
  // The next build replaces the file.
  CHECK_EQUAL(store.keep(kKey, "plan"), "");
  for (const mode_t mode : {0777, 0775}) {
    CHECK_EQUAL(chmod(folder.path.c_str(), mode), 0);
    CHECK_EQUAL(faultNow(), folder.path.string() + " can be written by other users");
    CHECK_EQUAL(store.keep(kKey, "plan"), folder.path.string() + " can be written by other users");
  }
  CHECK_EQUAL(chmod(folder.path.c_str(), 0755), 0);
  std::string fault;
  CHECK(store.find(kKey, fault) == "plan" && fault.empty());
  if (geteuid() != 0) return test::skip("only root can make files of another user");
  CHECK_EQUAL(chown(file.c_str(), 65534, 65534), 0);
  CHECK_EQUAL(faultNow(), file + " belongs to user 65534");
  CHECK_EQUAL(chown(folder.path.c_str(), 65534, 65534), 0);
  CHECK_EQUAL(faultNow(), folder.path.string() + " belongs to user 65534");
  CHECK_EQUAL(store.keep(kKey, "plan"), folder.path.string() + " belongs to user 65534");
}

/// In a container every process has the same number: what one left that was killed once kept all others from writing.
void checkStoreBesideLeftovers() {
  const Folder folder;
  const PlanStore store(folder.path);
  const std::string file = (folder.path / fileNameOf(kKey)).string();
  for (int count = 0; count < 200; ++count) {
    std::ofstream(file + ".new-" + std::to_string(getpid()) + "-" + std::to_string(count)) << "half";
  }
  CHECK_EQUAL(store.keep(kKey, "whole"), "");
  std::string fault;
  CHECK(store.find(kKey, fault) == "whole");
  CHECK_EQUAL(folder.files(), 201U);
}

/// Writers and readers at once: a reader finds one of the plans whole, or none.
void checkStoreAtOnce() {
  const Folder folder;
  const PlanStore store(folder.path);
  std::vector<std::thread> threads;
  std::atomic<int> broken{0}, found{0};
  for (int writer = 0; writer < 3; ++writer) {
    threads.emplace_back([&, writer] {
      const std::string plan(200'000, static_cast<char>('a' + writer));
      for (int round = 0; round < 20; ++round) broken += !store.keep(kKey, plan).empty();
    });
  }
  threads.emplace_back([&] {
    for (int round = 0; round < 200; ++round) {
      std::string fault;
      const auto plan = store.find(kKey, fault);
      found += plan.has_value();
      broken += !fault.empty() || (plan && (plan->size() != 200'000 || plan->front() != plan->back()));
    }
  });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(broken.load(), 0);
  CHECK_EQUAL(folder.files(), 1U);
}

void checkPlacesOfPlans() {
  const Folder folder;
  unsetenv("ROUNDHOUSE_PLAN_DIR");
  setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
  CHECK_EQUAL(PlanStore("").folder(), folder.path / "roundhouse" / "plans");
  const mode_t usual = umask(0002);
  CHECK_EQUAL(PlanStore("").keep(kKey, "plan"), "");
  umask(usual);
  struct stat made {};
  CHECK(stat((folder.path / "roundhouse" / "plans").c_str(), &made) == 0 && (made.st_mode & 0777) == 0700);
  setenv("ROUNDHOUSE_PLAN_DIR", "/elsewhere", 1);
  CHECK_EQUAL(PlanStore("").folder(), "/elsewhere");
  CHECK_EQUAL(PlanStore("/given").folder(), "/given");
  unsetenv("ROUNDHOUSE_PLAN_DIR");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/a-home", 1);
  CHECK_EQUAL(PlanStore("").folder(), "/a-home/.cache/roundhouse/plans");
  unsetenv("HOME");
  CHECK_EQUAL(PlanStore("").keep(kKey, "plan"), "there is neither ROUNDHOUSE_PLAN_DIR nor a home folder");
  std::string fault;
  CHECK(!PlanStore("").find(kKey, fault) && fault.empty());
  std::ofstream(folder.path / "file") << "x";
  for (const fs::path& place : {folder.path / "file" / "plans", folder.path / "file"}) {
    CHECK_THAT(PlanStore(place).keep(kKey, "plan").ends_with("Not a directory"), PlanStore(place).keep(kKey, "plan"));
  }
}

}  // namespace

int main() {
  checkKeys();
  checkObstacles();
  checkFiles();
  checkBarePlans();
  checkStore();
  checkStoreOfOthers();
  checkStoreBesideLeftovers();
  checkStoreAtOnce();
  checkPlacesOfPlans();
  return test::finish();
}
