#include "tensor_check.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace roundhouse {
namespace {

struct ElementSize {
  std::string_view datatype;
  std::uint64_t bytes;  // 0: only the content says
};

constexpr std::array kSizes = {
    ElementSize{"BOOL", 1},   ElementSize{"UINT8", 1}, ElementSize{"UINT16", 2}, ElementSize{"UINT32", 4},
    ElementSize{"UINT64", 8}, ElementSize{"INT8", 1},  ElementSize{"INT16", 2},  ElementSize{"INT32", 4},
    ElementSize{"INT64", 8},  ElementSize{"FP16", 2},  ElementSize{"BF16", 2},   ElementSize{"FP32", 4},
    ElementSize{"FP64", 8},   ElementSize{"BYTES", 0}};

[[noreturn]] void refuse(const std::string& message) { throw TritonFailure("INVALID_ARG", message); }

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t dimension : shape) text += (text.empty() ? "" : ", ") + std::to_string(dimension);
  return "[" + text + "]";
}

void check_input(const InputTensor& input, const std::string& where) {
  const auto* size = std::find_if(kSizes.begin(), kSizes.end(),
                                  [&](const ElementSize& entry) { return entry.datatype == input.datatype; });
  const std::string datatype = input.datatype.empty() ? "(empty)" : input.datatype;
  if (size == kSizes.end()) refuse(where + ".datatype: " + datatype + " is no datatype");
  std::uint64_t bytes = size->bytes;
  bool too_large = false;
  for (const std::int64_t dimension : input.shape) {
    if (dimension < 0) refuse(where + ".shape: " + std::to_string(dimension) + " is no dimension");
    too_large |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dimension), &bytes);
  }
  if (size->bytes == 0 || (!too_large && bytes == input.size)) return;
  refuse(where + ".data: " + std::to_string(input.size) + " bytes, but " + text_of(input.shape) + " of " + datatype +
         " needs " + (too_large ? "more than there are" : std::to_string(bytes)));
}

}  // namespace

void check_inputs(const std::vector<InputTensor>& inputs) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string where = "inputs[" + std::to_string(i) + "] \"" + inputs[i].name + "\"";
    if (!names.insert(inputs[i].name).second) refuse(where + ".name: stands there twice");
    check_input(inputs[i], where);
  }
}

}  // namespace roundhouse
