#include "answers_to_js.hpp"

#include <algorithm>

#include "failure.hpp"

namespace roundhouse::shm {
namespace {

class Row {
 public:
  Row(Napi::Env env, FrameKind kind, std::uint64_t id) : array_(Napi::Array::New(env)) {
    add(static_cast<double>(kind));
    add(static_cast<double>(id));
  }
  template <typename T>
  void add(T value) {
    array_.Set(next_++, value);
  }
  Napi::Array array() const { return array_; }

 private:
  Napi::Array array_;
  std::uint32_t next_ = 0;
};

void add_output(Row& row, Napi::Env env, const TensorPlace& output, const Bytes& frame) {
  Napi::Array shape = Napi::Array::New(env, output.shape.size());
  for (std::uint32_t i = 0; i < output.shape.size(); ++i) shape.Set(i, static_cast<double>(output.shape[i]));
  row.add(output.name);
  row.add(output.datatype);
  row.add(shape);
  row.add(static_cast<double>(output.offset));
  row.add(static_cast<double>(output.length));
  if (!output.in_frame) return row.add(env.Undefined());
  row.add(Napi::Buffer<std::byte>::Copy(env, frame.data() + output.offset, output.length));
}

bool has_good_places(const ResultFrame& result, const Bytes& frame, const Layout& layout, SlotRef slot) {
  return std::all_of(result.outputs.begin(), result.outputs.end(), [&](const TensorPlace& output) {
    if (output.in_frame) return lies_in(frame, output);
    return output.length == 0 || (!slot.none() && layout.holds(slot.slot, output.offset, output.length));
  });
}

Napi::Array result_to_js(Napi::Env env, ClientSession& session, const Bytes& frame, Slab& slab) {
  const ResultFrame result = read_result(frame);
  SlotRef slot;
  if (!session.settle(result.id, slot)) throw ShmFailure("PEER_INVALID", "an answer to no request");
  if (!has_good_places(result, frame, session.memory()->layout, slot)) {
    session.give_back(slot);
    throw ShmFailure("PEER_INVALID", "an output lies outside of its slot");
  }
  std::uint64_t end = 0;
  for (const TensorPlace& output : result.outputs) {
    if (!output.in_frame && output.length > 0) end = std::max(end, output.offset + output.length);
  }
  double in_slab = -1;
  if (end > 0 && end <= session.copy_below()) in_slab = slab.put(session.memory()->at(slot), end);
  // A slot that nothing is left in is free at once.
  if (end == 0 || in_slab >= 0) session.give_back(slot);
  Row row(env, FrameKind::result, result.id);
  row.add(result.version);
  row.add(slot.slot);
  row.add(slot.generation);
  row.add(static_cast<double>(end));
  row.add(in_slab);
  for (const TensorPlace& output : result.outputs) add_output(row, env, output, frame);
  return row.array();
}

Napi::Array failed_to_js(Napi::Env env, ClientSession& session, const Bytes& frame) {
  const FailedFrame failed = read_failed(frame);
  SlotRef slot;
  if (!failed.kept && session.settle(failed.id, slot)) session.give_back(slot);
  Row row(env, FrameKind::failed, failed.id);
  row.add(failed.kept);
  row.add(failed.of_table);
  row.add(failed.code);
  row.add(failed.message);
  row.add(static_cast<double>(failed.remaining_ms));
  return row.array();
}

Napi::Array answer_to_js(Napi::Env env, ClientSession& session, const Bytes& frame, Slab& slab) {
  const FrameKind kind = kind_of(frame);
  if (kind == FrameKind::result) return result_to_js(env, session, frame, slab);
  if (kind == FrameKind::failed) return failed_to_js(env, session, frame);
  if (kind == FrameKind::grow) {
    std::uint64_t bytes = 0;
    Row row(env, kind, read_grow(frame, bytes));
    // More than any slot has, whatever the engine says.
    row.add(static_cast<double>(std::min(bytes, Layout::kMaxBytes)));
    return row.array();
  }
  if (kind != FrameKind::released) throw ShmFailure("PEER_INVALID", "a frame of an unknown kind");
  SlotRef slot;
  const std::uint64_t id = read_id(frame);
  if (session.settle(id, slot)) session.give_back(slot);
  return Row(env, kind, id).array();
}

}  // namespace

Napi::Array answers_to_js(Napi::Env env, ClientSession& session, Slab& slab) {
  Napi::Array answers = Napi::Array::New(env);
  Bytes frame;
  std::uint32_t count = 0;
  try {
    do {
      while (session.next_answer(frame)) answers.Set(count++, answer_to_js(env, session, frame, slab));
    } while (!session.fall_asleep());
  } catch (const ShmFailure& failure) {
    session.end(failure.what());
  }
  return answers;
}

}  // namespace roundhouse::shm
