// A server on the real core with the model echo: its answer is its input, after the milliseconds that `control` says.
#pragma once

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server.hpp"

namespace roundhouse::test {

// A repository of this process with so many instances of echo.
inline std::filesystem::path make_echo_repository(const std::string& name, int instances) {
  const auto folder = std::filesystem::temp_directory_path() / (name + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "echo" / "1");
  std::ofstream(folder / "echo" / "config.pbtxt") << R"(backend: "echo" max_batch_size: 8
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true },
        { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
dynamic_batching { } instance_group [ { kind: KIND_CPU count: )" << instances << " } ]";
  return folder;
}

inline std::shared_ptr<Server> start_echo(const std::filesystem::path& repository, AdmissionLimits limits = {}) {
  ServerSettings settings;
  settings.core_library = TRITON_LIBRARY;
  settings.server_id = "test";
  settings.model_repository = repository.string();
  settings.backend_directory = BACKENDS;
  settings.repo_agent_directory = BACKENDS;
  settings.cache_directory = BACKENDS;
  settings.admission = limits;
  auto server = Server::start(settings, [] {});
  server->load_model("echo");
  return server;
}

// Waits for so many requests to end.
inline std::vector<std::unique_ptr<Inference>> take(Server& server, std::size_t count) {
  std::vector<std::unique_ptr<Inference>> all;
  while (all.size() < count) {
    for (auto& inference : server.take_completed()) all.push_back(std::move(inference));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return all;
}

}  // namespace roundhouse::test
