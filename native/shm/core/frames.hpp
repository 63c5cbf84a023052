// The frames on the rings. Numbers are in the machine's order: both ends are on one machine.
//
// Requests: infer, cancel, fetch. Answers: result, failed, grow, released. Each infer ends with exactly one of
// result, failed without `kept`, or released; until then the engine may read and write the request's slots.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "layout.hpp"
#include "parameter.hpp"
#include "ring.hpp"

namespace roundhouse::shm {

enum class FrameKind : std::uint8_t { infer = 1, cancel, fetch, result, failed, grow, released };

// Data of a tensor: in the slot of its request, or (slot none) in the frame itself.
struct TensorPlace {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool in_frame = false;
};

struct InferFrame {
  std::uint64_t id = 0;
  std::int64_t deadline_ms = 0;  // Unix; 0: none
  std::int64_t version = -1;
  SlotRef input;
  SlotRef output;
  std::string model;
  std::string request_id;
  std::vector<TensorPlace> inputs;
  std::vector<std::string> outputs;  // empty: all
  std::vector<Parameter> parameters;
};

struct FetchFrame {
  std::uint64_t id = 0;
  SlotRef output;
};

struct ResultFrame {
  std::uint64_t id = 0;
  std::string version;
  std::vector<TensorPlace> outputs;
};

struct FailedFrame {
  std::uint64_t id = 0;
  bool kept = false;  // answered early: `released` comes when the core has let go
  bool of_table = false;  // `code` is one of the error table, not one of Triton's
  std::string code;
  std::string message;
  std::int64_t remaining_ms = -1;  // to the deadline of one that was refused; negative: none
};

constexpr std::uint64_t kDataAlignment = 64;
inline std::uint64_t aligned_up(std::uint64_t bytes) { return (bytes + kDataAlignment - 1) & ~(kDataAlignment - 1); }

class FrameWriter {
 public:
  explicit FrameWriter(Bytes& out) : out_(out) { out_.clear(); }
  template <typename T>
  void number(T value) {
    append(&value, sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    append(value.data(), value.size());
  }
  void slot(SlotRef ref) {
    number(ref.slot);
    number(ref.generation);
  }
  void tensor(const TensorPlace& tensor);
  void parameter(const Parameter& parameter);
  // Their count, and each by `write`, a function of this class.
  template <typename List, typename Item>
  void list(const List& values, void (FrameWriter::*write)(Item)) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values) (this->*write)(value);
  }

 private:
  void append(const void* from, std::size_t size) {
    const std::size_t at = out_.size();
    out_.resize(at + size);
    if (size > 0) std::memcpy(out_.data() + at, from, size);
  }
  Bytes& out_;
};

// Every read is checked against the end; what isn't there throws PEER_INVALID.
class FrameReader {
 public:
  explicit FrameReader(const Bytes& frame) : frame_(frame) {}
  template <typename T>
  T number() {
    T value;
    take(&value, sizeof value);
    return value;
  }
  std::string text();
  SlotRef slot();
  TensorPlace tensor();
  Parameter parameter();
  // A count of things that take at least `least` bytes each.
  std::uint32_t count(std::size_t least);
  // What FrameWriter::list wrote, of elements that take at least `least` bytes each.
  template <typename T>
  std::vector<T> list(std::size_t least, T (FrameReader::*read)()) {
    std::vector<T> values(count(least));
    for (T& value : values) value = (this->*read)();
    return values;
  }

 private:
  void take(void* to, std::size_t size);
  const Bytes& frame_;
  std::size_t at_ = 0;
};

FrameKind kind_of(const Bytes& frame);

// Where in a frame its data begin: behind `room` bytes of description.
void write_infer(Bytes& out, const InferFrame& frame);
InferFrame read_infer(const Bytes& frame);
void write_id(Bytes& out, FrameKind kind, std::uint64_t id);
std::uint64_t read_id(const Bytes& frame);
void write_fetch(Bytes& out, const FetchFrame& frame);
FetchFrame read_fetch(const Bytes& frame);
void write_result(Bytes& out, const ResultFrame& frame);
ResultFrame read_result(const Bytes& frame);
void write_failed(Bytes& out, const FailedFrame& frame);
FailedFrame read_failed(const Bytes& frame);
void write_grow(Bytes& out, std::uint64_t id, std::uint64_t bytes);
std::uint64_t read_grow(const Bytes& frame, std::uint64_t& bytes);

// Lies the tensor inside the frame that carries its data?
bool lies_in(const Bytes& frame, const TensorPlace& tensor);

// Appends data at the next aligned place; its offset.
std::uint64_t append_data(Bytes& out, const void* data, std::size_t size);

}  // namespace roundhouse::shm
