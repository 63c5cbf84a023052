#include "session_flight.hpp"

#include <algorithm>
#include <cstring>

#include "failure.hpp"

namespace roundhouse {

std::vector<InputTensor> inputs_of(const SessionFlight& flight, const std::vector<shm::TensorPlace>& places,
                                   const std::byte* segment, const shm::Layout& layout) {
  std::vector<InputTensor> inputs;
  inputs.reserve(places.size());
  for (const shm::TensorPlace& tensor : places) {
    const bool good = tensor.in_frame ? shm::lies_in(flight.frame, tensor)
                                      : layout.holds(flight.input.slot, tensor.offset, tensor.length);
    if (!good) throw TritonFailure("INVALID_ARG", "inputs \"" + tensor.name + "\": its bytes lie outside of the slot");
    const std::byte* base =
        tensor.in_frame ? flight.frame.data() : segment + layout.slot_offset(flight.input.slot);
    inputs.push_back({tensor.name, tensor.datatype, tensor.shape, base + tensor.offset, tensor.length});
  }
  return inputs;
}

std::vector<OutputTensor> wanted_outputs(const SessionFlight& flight) {
  std::vector<OutputTensor> outputs;
  for (const OutputTensor& output : flight.outputs) {
    const bool wanted = flight.wanted.empty() ||
                        std::find(flight.wanted.begin(), flight.wanted.end(), output.name) != flight.wanted.end();
    if (wanted) outputs.push_back(output);
  }
  return outputs;
}

OutputBytes bytes_of(const SessionFlight& flight, const std::vector<OutputTensor>& outputs) {
  OutputBytes bytes;
  for (const OutputTensor& output : outputs) {
    bytes.total = shm::aligned_up(bytes.total) + output.size;
    if (output.size > 0 && !flight.in_arena(output.data)) bytes.outside += shm::aligned_up(output.size);
  }
  return bytes;
}

bool move_outputs(std::vector<OutputTensor>& outputs, std::byte* room, std::uint64_t bytes) {
  std::uint64_t used = 0;
  for (OutputTensor& output : outputs) {
    used = shm::aligned_up(used);
    if (used > bytes || output.size > bytes - used) return false;
    if (output.size > 0) std::memcpy(room + used, output.data, output.size);
    output.data = room + used;
    used += output.size;
  }
  return true;
}

// The description has the same length whatever the offsets are: it is written twice, with data in between.
shm::Bytes result_frame(const SessionFlight& flight, const std::vector<OutputTensor>& outputs) {
  shm::ResultFrame result{flight.key, flight.model_version, {}};
  for (const OutputTensor& output : outputs) {
    shm::TensorPlace place{output.name, output.datatype, output.shape, 0, output.size, false};
    place.in_frame = output.size > 0 && !flight.in_arena(output.data);
    if (output.size > 0 && !place.in_frame) place.offset = static_cast<std::uint64_t>(output.data - flight.arena);
    result.outputs.push_back(std::move(place));
  }
  shm::Bytes frame;
  shm::write_result(frame, result);
  bool any = false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!result.outputs[i].in_frame) continue;
    result.outputs[i].offset = shm::append_data(frame, outputs[i].data, outputs[i].size);
    any = true;
  }
  if (any) {
    shm::Bytes description;
    shm::write_result(description, result);
    std::memcpy(frame.data(), description.data(), description.size());
  }
  return frame;
}

}  // namespace roundhouse
