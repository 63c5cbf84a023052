#pragma once

#include <NvInferRuntime.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace nvinfer1 {
class IBuilder;
class INetworkDefinition;
}  // namespace nvinfer1
namespace nvonnxparser {
class IParser;
}

namespace roundhouse::delivery_time::gpu {

/// Keeps the last things that TensorRT complained about, for errors of ours. Any thread.
class TensorRtLog : public nvinfer1::ILogger {
 public:
  void log(Severity severity, const char* text) noexcept override;
  /// Errors, and forgets them. '' for none.
  std::string take();
  /// As `take`, warnings only.
  std::string takeWarnings();

 private:
  std::mutex mutex_;
  std::deque<std::string> lines_;
  std::deque<std::string> warnings_;
};

/// libnvinfer, opened at run time, so that a build with TensorRT starts on a machine without it. Opened once a process
/// and never closed. Written for the headers' version and run with any of the same major version from 10.1: of what came
/// later nothing is called.
class TensorRt {
 public:
  /// Opens `path` where it is not empty, else that of the environment's ROUNDHOUSE_TENSORRT_LIBRARY, else the sonames
  /// that the loader finds. Throws Error naming what was tried.
  static TensorRt& open(const std::string& path);

  /// "10.6.0.26".
  const std::string& version() const { return version_; }
  TensorRtLog& log() { return log_; }
  /// '' where the libraries that build plans can be opened; else what is missing.
  std::string missingForBuilding();

  /// TensorRT ends the process where there is no GPU: whoever calls these has seen one. Throws Error with the log's words
  /// where TensorRT refuses.
  nvinfer1::IRuntime& runtime();
  std::unique_ptr<nvinfer1::IBuilder> builder();
  std::unique_ptr<nvonnxparser::IParser> parser(nvinfer1::INetworkDefinition& network);

 private:
  explicit TensorRt(const std::string& path);
  void* symbol(void* library, const char* name, const char* of) const;
  std::string openParser();
  std::string openBuilderResource();

  void* library_ = nullptr;
  void* parser_ = nullptr;
  void* resource_ = nullptr;
  /// Of the library's file; '' where the loader found it.
  std::string folder_;
  std::string version_;
  std::int32_t number_ = 0;
  TensorRtLog log_;
  std::mutex mutex_;
  std::unique_ptr<nvinfer1::IRuntime> runtime_;
};

}  // namespace roundhouse::delivery_time::gpu
