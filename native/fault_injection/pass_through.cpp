#include "pass_through.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"
#include "faults.hpp"
#include "json.hpp"
#include "model_settings.hpp"
#include "triton_error.hpp"

namespace roundhouse::fault_injection {
namespace {

using backend::check;
using backend::Json;

constexpr const char* kParameters = "PARAMETERS";

// The bytes of an input, which may lie in several buffers.
void copy_input(TRITONBACKEND_Input* input, std::uint32_t buffers, std::span<std::uint8_t> target) {
  std::size_t filled = 0;
  for (std::uint32_t i = 0; i < buffers; ++i) {
    const void* part = nullptr;
    std::uint64_t size = 0;
    TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
    std::int64_t memory_id = 0;
    check(TRITONBACKEND_InputBuffer(input, i, &part, &size, &memory, &memory_id));
    if (size > target.size() - filled) throw Error(ErrorCode::payloadInvalid, "an input is longer than its shape");
    if (size > 0) std::memcpy(target.data() + filled, part, size);
    filled += size;
  }
}

void pass(TRITONBACKEND_Input* input, const std::string& output, backend::Reply& reply) {
  TRITONSERVER_DataType datatype;
  const std::int64_t* shape = nullptr;
  std::uint32_t dimensions = 0, buffers = 0;
  std::uint64_t size = 0;
  check(TRITONBACKEND_InputProperties(input, nullptr, &datatype, &shape, &dimensions, &size, &buffers));
  copy_input(input, buffers, reply.output(output.c_str(), datatype, {shape, dimensions}));
}

void report(TRITONBACKEND_Request* request, backend::Reply& reply) {
  const std::string lines = list_parameters(request);
  const std::int64_t shape[] = {static_cast<std::int64_t>(lines.size())};
  const auto bytes = reply.output(kParameters, TRITONSERVER_TYPE_UINT8, shape);
  if (!lines.empty()) std::memcpy(bytes.data(), lines.data(), lines.size());
}

}  // namespace

PassThrough read_pass_through(TRITONBACKEND_Model* model) {
  const Json config = backend::readModelConfig(model);
  PassThrough read;
  std::vector<Json> outputs;
  for (const Json& output : config.at("output").list) {
    if (output.at("name").text == kParameters) read.reports_parameters = true;
    else outputs.push_back(output);
  }
  const std::vector<Json>& inputs = config.at("input").list;
  for (std::size_t i = 0; i < std::min(inputs.size(), outputs.size()); ++i) {
    if (inputs[i].at("data_type").text != outputs[i].at("data_type").text) {
      throw Error(ErrorCode::modelFailed, "config.pbtxt: output \"" + outputs[i].at("name").text +
                                              "\" has another type than input \"" + inputs[i].at("name").text + "\"");
    }
    read.pairs.emplace_back(inputs[i].at("name").text, outputs[i].at("name").text);
  }
  if (inputs.size() == outputs.size()) return read;
  throw Error(ErrorCode::modelFailed, "config.pbtxt declares " + std::to_string(inputs.size()) + " inputs and " +
                                          std::to_string(outputs.size()) + " outputs beside PARAMETERS");
}

void answer(const PassThrough& model, TRITONBACKEND_Request* request) {
  backend::Reply reply(request);
  for (const auto& [name, output] : model.pairs) {
    TRITONBACKEND_Input* input = nullptr;
    const backend::OwnedError missing(TRITONBACKEND_RequestInput(request, name.c_str(), &input));
    if (!missing) pass(input, output, reply);
  }
  if (model.reports_parameters) report(request, reply);
  reply.send();
}

}  // namespace roundhouse::fault_injection
