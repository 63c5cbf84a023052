#include "request_from_js.hpp"

#include "../../addon/js_arguments.hpp"
#include "parameters_from_js.hpp"

namespace roundhouse::shm {
namespace {

std::vector<std::int64_t> shape_of(Napi::Array array) {
  std::vector<std::int64_t> shape(array.Length());
  for (std::uint32_t i = 0; i < shape.size(); ++i) shape[i] = array.Get(i).ToNumber().Int64Value();
  return shape;
}

std::vector<ClientInput> inputs_of(const Napi::Value& value) {
  if (!value.IsArray()) invalid("inputs must be an array");
  const auto array = value.As<Napi::Array>();
  std::vector<ClientInput> inputs;
  inputs.reserve(array.Length());
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Object entry = array.Get(i).As<Napi::Object>();
    const Napi::Value shape = entry.Get("shape");
    const Napi::Value data = entry.Get("data");
    if (!shape.IsArray() || !data.IsTypedArray()) invalid("inputs[" + std::to_string(i) + "] lacks shape or data");
    const auto bytes = data.As<Napi::Uint8Array>();
    inputs.push_back({text(entry.Get("name"), "name"), text(entry.Get("datatype"), "datatype"),
                      shape_of(shape.As<Napi::Array>()), reinterpret_cast<const std::byte*>(bytes.Data()),
                      bytes.ByteLength()});
  }
  return inputs;
}

}  // namespace

SessionSettings settings_of(Napi::Object object) {
  SessionSettings settings;
  settings.socket_path = text(object.Get("socketPath"), "socketPath");
  settings.ring_bytes = whole(object.Get("ringBytes"), "ringBytes");
  settings.inline_bytes = whole(object.Get("inlineBytes"), "inlineBytes");
  settings.most_inline_bytes = whole(object.Get("mostInlineBytes"), "mostInlineBytes");
  settings.copy_below_bytes = whole(object.Get("copyBelowBytes"), "copyBelowBytes");
  settings.most_spin = std::chrono::microseconds(whole(object.Get("mostSpinUs"), "mostSpinUs"));
  if (!object.Get("classes").IsArray()) invalid("classes must be an array");
  const auto classes = object.Get("classes").As<Napi::Array>();
  for (std::uint32_t i = 0; i < classes.Length(); ++i) {
    const Napi::Object entry = classes.Get(i).As<Napi::Object>();
    settings.classes.push_back({whole(entry.Get("slotBytes"), "slotBytes"), whole(entry.Get("count"), "count")});
  }
  return settings;
}

ClientRequest request_of(const Napi::CallbackInfo& info) {
  ClientRequest request;
  request.frame.id = whole(info[1], "id");
  request.frame.model = text(info[2], "model");
  if (!info[3].IsNumber()) invalid("version must be a number");
  request.frame.version = info[3].As<Napi::Number>().Int64Value();
  request.frame.request_id = text(info[4], "requestId");
  request.frame.deadline_ms = static_cast<std::int64_t>(whole(info[5], "deadlineMs"));
  request.inputs = inputs_of(info[6]);
  if (!info[7].IsArray()) invalid("outputs must be an array");
  const auto outputs = info[7].As<Napi::Array>();
  for (std::uint32_t i = 0; i < outputs.Length(); ++i) request.frame.outputs.push_back(text(outputs.Get(i), "output"));
  request.output_bytes = whole(info[8], "outputBytes");
  request.inline_if_empty = info[9].ToBoolean();
  request.frame.parameters = parameters_from_js(info[11]);
  return request;
}

}  // namespace roundhouse::shm
