#include "frames.hpp"

#include <cstring>

#include "failure.hpp"

namespace roundhouse::shm {
namespace {

constexpr std::size_t kLeastTensor = 4 + 4 + 4 + 8 + 8 + 1;
constexpr std::size_t kLeastText = 4;
constexpr std::size_t kLeastParameter = 4 + 1 + 1;

void begin(FrameWriter& writer, FrameKind kind, std::uint64_t id) {
  writer.number(kind);
  writer.number(id);
}

FrameReader open(const Bytes& frame, std::uint64_t& id) {
  FrameReader reader(frame);
  (void)reader.number<FrameKind>();
  id = reader.number<std::uint64_t>();
  return reader;
}

}  // namespace

void FrameWriter::tensor(const TensorPlace& tensor) {
  text(tensor.name);
  text(tensor.datatype);
  number(static_cast<std::uint32_t>(tensor.shape.size()));
  append(tensor.shape.data(), tensor.shape.size() * sizeof(std::int64_t));
  number(tensor.offset);
  number(tensor.length);
  number(tensor.in_frame);
}

void FrameWriter::parameter(const Parameter& parameter) {
  text(parameter.key);
  number(static_cast<std::uint8_t>(parameter.value.index()));
  if (const auto* string = std::get_if<std::string>(&parameter.value)) text(*string);
  else if (const auto* whole = std::get_if<std::int64_t>(&parameter.value)) number(*whole);
  else if (const auto* real = std::get_if<double>(&parameter.value)) number(*real);
  else number(std::get<bool>(parameter.value));
}

void FrameReader::take(void* to, std::size_t size) {
  if (size > frame_.size() - at_) throw ShmFailure("PEER_INVALID", "a frame ends too early");
  if (size > 0) std::memcpy(to, frame_.data() + at_, size);
  at_ += size;
}

std::uint32_t FrameReader::count(std::size_t least) {
  const auto value = number<std::uint32_t>();
  if (value > (frame_.size() - at_) / least) throw ShmFailure("PEER_INVALID", "a frame counts more than it holds");
  return value;
}

std::string FrameReader::text() {
  std::string value(count(1), '\0');
  take(value.data(), value.size());
  return value;
}

SlotRef FrameReader::slot() {
  SlotRef ref;
  ref.slot = number<std::uint32_t>();
  ref.generation = number<std::uint32_t>();
  return ref;
}

TensorPlace FrameReader::tensor() {
  TensorPlace tensor;
  tensor.name = text();
  tensor.datatype = text();
  tensor.shape.resize(count(sizeof(std::int64_t)));
  take(tensor.shape.data(), tensor.shape.size() * sizeof(std::int64_t));
  tensor.offset = number<std::uint64_t>();
  tensor.length = number<std::uint64_t>();
  tensor.in_frame = number<std::uint8_t>() != 0;
  return tensor;
}

Parameter FrameReader::parameter() {
  Parameter parameter{text(), false};
  switch (number<std::uint8_t>()) {
    case 0:
      parameter.value = number<std::uint8_t>() != 0;
      break;
    case 1:
      parameter.value = number<std::int64_t>();
      break;
    case 2:
      parameter.value = number<double>();
      break;
    case 3:
      parameter.value = text();
      break;
    default:
      throw ShmFailure("PEER_INVALID", "a parameter of an unknown kind");
  }
  return parameter;
}

FrameKind kind_of(const Bytes& frame) { return FrameReader(frame).number<FrameKind>(); }

void write_infer(Bytes& out, const InferFrame& frame) {
  FrameWriter writer(out);
  begin(writer, FrameKind::infer, frame.id);
  writer.number(frame.deadline_ms);
  writer.number(frame.version);
  writer.slot(frame.input);
  writer.slot(frame.output);
  writer.text(frame.model);
  writer.text(frame.request_id);
  writer.list(frame.inputs, &FrameWriter::tensor);
  writer.list(frame.outputs, &FrameWriter::text);
  writer.list(frame.parameters, &FrameWriter::parameter);
}

InferFrame read_infer(const Bytes& bytes) {
  InferFrame frame;
  FrameReader reader = open(bytes, frame.id);
  frame.deadline_ms = reader.number<std::int64_t>();
  frame.version = reader.number<std::int64_t>();
  frame.input = reader.slot();
  frame.output = reader.slot();
  frame.model = reader.text();
  frame.request_id = reader.text();
  frame.inputs = reader.list(kLeastTensor, &FrameReader::tensor);
  frame.outputs = reader.list(kLeastText, &FrameReader::text);
  frame.parameters = reader.list(kLeastParameter, &FrameReader::parameter);
  return frame;
}

void write_id(Bytes& out, FrameKind kind, std::uint64_t id) {
  FrameWriter writer(out);
  begin(writer, kind, id);
}

std::uint64_t read_id(const Bytes& frame) {
  std::uint64_t id = 0;
  (void)open(frame, id);
  return id;
}

void write_fetch(Bytes& out, const FetchFrame& frame) {
  FrameWriter writer(out);
  begin(writer, FrameKind::fetch, frame.id);
  writer.slot(frame.output);
}

FetchFrame read_fetch(const Bytes& bytes) {
  FetchFrame frame;
  frame.output = open(bytes, frame.id).slot();
  return frame;
}

void write_result(Bytes& out, const ResultFrame& frame) {
  FrameWriter writer(out);
  begin(writer, FrameKind::result, frame.id);
  writer.text(frame.version);
  writer.list(frame.outputs, &FrameWriter::tensor);
}

ResultFrame read_result(const Bytes& bytes) {
  ResultFrame frame;
  FrameReader reader = open(bytes, frame.id);
  frame.version = reader.text();
  frame.outputs = reader.list(kLeastTensor, &FrameReader::tensor);
  return frame;
}

void write_failed(Bytes& out, const FailedFrame& frame) {
  FrameWriter writer(out);
  begin(writer, FrameKind::failed, frame.id);
  writer.number(frame.kept);
  writer.number(frame.of_table);
  writer.text(frame.code);
  writer.text(frame.message);
  writer.number(frame.remaining_ms);
}

FailedFrame read_failed(const Bytes& bytes) {
  FailedFrame frame;
  FrameReader reader = open(bytes, frame.id);
  frame.kept = reader.number<std::uint8_t>() != 0;
  frame.of_table = reader.number<std::uint8_t>() != 0;
  frame.code = reader.text();
  frame.message = reader.text();
  frame.remaining_ms = reader.number<std::int64_t>();
  return frame;
}

void write_grow(Bytes& out, std::uint64_t id, std::uint64_t bytes) {
  FrameWriter writer(out);
  begin(writer, FrameKind::grow, id);
  writer.number(bytes);
}

std::uint64_t read_grow(const Bytes& frame, std::uint64_t& bytes) {
  std::uint64_t id = 0;
  bytes = open(frame, id).number<std::uint64_t>();
  return id;
}

bool lies_in(const Bytes& frame, const TensorPlace& tensor) {
  return tensor.offset <= frame.size() && tensor.length <= frame.size() - tensor.offset;
}

std::uint64_t append_data(Bytes& out, const void* data, std::size_t size) {
  const std::uint64_t offset = aligned_up(out.size());
  out.resize(offset + size);
  if (size > 0) std::memcpy(out.data() + offset, data, size);
  return offset;
}

}  // namespace roundhouse::shm
