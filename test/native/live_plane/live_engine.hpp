// An engine's C++ in this process: the core, some models and the data plane on a socket.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "check.hpp"
#include "data_plane.hpp"
#include "finish_and_exit.hpp"
#include "server.hpp"

namespace roundhouse::test {

namespace fs = std::filesystem;

constexpr const char* kPassThrough = R"(backend: "pass_through" max_batch_size: 0
input [ { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: 2 } ])";

struct LiveEngine {
  explicit LiveEngine(const std::vector<std::string>& shipped = {}, bool pins = false) {
    setenv("ROUNDHOUSE_FAULT_INJECTION", "1", 1);
    fs::create_directories(folder / "models" / "pass_through" / "1");
    std::ofstream(folder / "models" / "pass_through" / "config.pbtxt") << kPassThrough;
    fs::copy(FAULT_MODEL, folder / "models", fs::copy_options::recursive);
    if (!shipped.empty()) {
      fs::copy(SHIPPED_MODELS, folder / "models", fs::copy_options::recursive | fs::copy_options::skip_existing);
    }
    ServerSettings settings;
    settings.core_library = TRITON_LIBRARY;
    settings.server_id = "test";
    settings.model_repository = (folder / "models").string();
    settings.backend_directory = settings.repo_agent_directory = settings.cache_directory = BACKENDS;
    settings.admission = {64, 64, 256, 64 << 20};
    server = Server::start(settings, [] {});
    server->load_model("pass_through");
    server->load_model("fault_injection");
    for (const std::string& model : shipped) server->load_model(model);
    plane = std::make_unique<DataPlane>(server, socket(), pins);
  }
  ~LiveEngine() {
    plane.reset();
    const std::string failure = server->stop([] {});
    check(failure.empty(), __FILE__, __LINE__, "the server stops: " + failure);
    server.reset();
    fs::remove_all(folder);
  }
  std::string socket() const { return (folder / "engine.shm").string(); }

  fs::path folder = fs::temp_directory_path() / ("roundhouse-live-" + std::to_string(getpid()));
  std::shared_ptr<Server> server;
  std::unique_ptr<DataPlane> plane;
};

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) count += entry.is_symlink();
  return count;
}

// Segments of sessions that are mapped.
inline std::size_t mapped_segments() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("/memfd:") != std::string::npos;
  return count;
}

// The counts of a full run, or a tenth.
inline int scaled(int full) { return std::getenv("TEST_FULL") == nullptr ? full / 10 : full; }

// Waits for what other threads bring about; false after 20 s.
template <typename Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 20'000; ++i) {
    if (condition()) return true;
    usleep(1'000);
  }
  return false;
}

inline bool has_core() {
  if (fs::exists(TRITON_LIBRARY)) return true;
  skip("no TritonCore in the toolchain");
  return false;
}

}  // namespace roundhouse::test
