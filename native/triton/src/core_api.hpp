// The functions of TritonCore, found by name in the library that `open` loads.
#pragma once

#include <string>

#include "../../addon/coded_failure.hpp"
#include "triton_server_api.hpp"

namespace roundhouse {

// An error of the core or of this layer. `code` is one of Triton's names or STOPPED, WRONG_HANDLE, LOAD_FAILED.
class TritonFailure : public CodedFailure {
 public:
  using CodedFailure::CodedFailure;
  // What the core wrote to its log meanwhile.
  std::string log;
};

#define ROUNDHOUSE_CORE_FUNCTIONS(X)                                                                       \
  X(ApiVersion) X(DataTypeString) X(StringToDataType)                                                      \
  X(ErrorNew) X(ErrorDelete) X(ErrorCode) X(ErrorMessage)                                                  \
  X(MessageDelete) X(MessageSerializeToJson)                                                               \
  X(ServerOptionsNew) X(ServerOptionsDelete) X(ServerOptionsSetServerId)                                   \
  X(ServerOptionsSetModelRepositoryPath) X(ServerOptionsSetModelControlMode)                               \
  X(ServerOptionsSetStrictModelConfig) X(ServerOptionsSetRateLimiterMode)                                  \
  X(ServerOptionsSetPinnedMemoryPoolByteSize) X(ServerOptionsSetCudaMemoryPoolByteSize)                    \
  X(ServerOptionsSetCacheDirectory) X(ServerOptionsSetMinSupportedComputeCapability)                       \
  X(ServerOptionsSetExitOnError) X(ServerOptionsSetStrictReadiness) X(ServerOptionsSetExitTimeout)         \
  X(ServerOptionsSetBufferManagerThreadCount) X(ServerOptionsSetModelLoadThreadCount)                      \
  X(ServerOptionsSetModelLoadRetryCount) X(ServerOptionsSetModelNamespacing)                               \
  X(ServerOptionsSetEnablePeerAccess) X(ServerOptionsSetLogInfo)                \
  X(ServerOptionsSetLogWarn) X(ServerOptionsSetLogError) X(ServerOptionsSetLogFormat)                      \
  X(ServerOptionsSetLogVerbose) X(ServerOptionsSetMetrics) X(ServerOptionsSetGpuMetrics)                   \
  X(ServerOptionsSetCpuMetrics) X(ServerOptionsSetMetricsInterval) X(ServerOptionsSetBackendDirectory)     \
  X(ServerOptionsSetRepoAgentDirectory) X(ServerOptionsSetBackendConfig)                                   \
  X(ServerNew) X(ServerDelete) X(ServerStop) X(ServerIsLive) X(ServerModelIsReady)                         \
  X(ServerModelTransactionProperties) X(ServerMetadata) X(ServerModelMetadata) X(ServerModelStatistics)    \
  X(ServerModelConfig) X(ServerModelIndex) X(ServerLoadModel) X(ServerUnloadModel) X(ServerInferAsync)     \
  X(ResponseAllocatorNew) X(ResponseAllocatorDelete)                                                       \
  X(InferenceRequestNew) X(InferenceRequestDelete) X(InferenceRequestSetId) X(InferenceRequestCancel)      \
  X(InferenceRequestAddInput) X(InferenceRequestAppendInputData) X(InferenceRequestAddRequestedOutput)     \
  X(InferenceRequestSetStringParameter) X(InferenceRequestSetIntParameter)                                 \
  X(InferenceRequestSetBoolParameter) X(InferenceRequestSetDoubleParameter)                                \
  X(InferenceRequestSetReleaseCallback) X(InferenceRequestSetResponseCallback)                             \
  X(InferenceResponseDelete) X(InferenceResponseError) X(InferenceResponseModel)                           \
  X(InferenceResponseOutputCount) X(InferenceResponseOutput) X(LogMessage)                                 \
  X(ServerMetrics) X(MetricsFormatted) X(MetricsDelete)

struct CoreApi {
#define X(name) decltype(&TRITONSERVER_##name) name = nullptr;
  ROUNDHOUSE_CORE_FUNCTIONS(X)
#undef X

  // Loads the core once a process; it stays loaded. Throws LOAD_FAILED where the file, a function or the
  // API version doesn't fit, or when another path was loaded before.
  static const CoreApi& open(const std::string& path);

  // Takes the error over and throws it as TritonFailure; returns for nullptr.
  void check(TRITONSERVER_Error* error) const;
  // Takes the message over.
  std::string json(TRITONSERVER_Message* message) const;
};

// The number is mapped, not the core's string: that one is invalid for CANCELLED.
const char* error_code_name(TRITONSERVER_Error_Code code);

// The core reads names up to a NUL: one with more behind it would be another model's.
const char* name_of(const std::string& model);

}  // namespace roundhouse
