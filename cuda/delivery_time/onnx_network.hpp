#pragma once

#include <filesystem>

#include "network.hpp"
#include "onnx_runtime.hpp"

namespace roundhouse::delivery_time {

/// The network on ONNX Runtime's CPU provider: one session, run on the caller's thread.
class OnnxNetwork : public Network {
 public:
  /// Loads the file and checks its columns against the contract. Throws Error naming file and column.
  OnnxNetwork(const OnnxRuntime& runtime, const std::filesystem::path& file, const Columns& columns = {});
  ~OnnxNetwork() override;
  OnnxNetwork(const OnnxNetwork&) = delete;
  OnnxNetwork& operator=(const OnnxNetwork&) = delete;

  Columns columns() const override { return columns_; }
  void predict(const float* features, std::size_t rows, float* quantiles) override;
  std::string description() const override { return "ONNX Runtime " + runtime_.version() + ", CPU"; }

 private:
  void createSession(const std::filesystem::path& file);
  void requireColumns(const std::filesystem::path& file);

  const OnnxRuntime& runtime_;
  Columns columns_;
  OrtSession* session_ = nullptr;
  OrtMemoryInfo* memory_ = nullptr;
};

/// Loads models/…/model.onnx with the runtime of `libraryPath` ('' = the usual places, see OnnxRuntime::open).
std::unique_ptr<Network> loadNetwork(const std::filesystem::path& file, const std::string& libraryPath,
                                     const Columns& columns = {});

}  // namespace roundhouse::delivery_time
