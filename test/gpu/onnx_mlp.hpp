// Writes an ONNX file of a dense network with ReLU between its layers and random weights: `features` [N, first] →
// `quantiles` [N, last]. Just as much of ONNX's protobuf as that needs.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace roundhouse::test {

class Protobuf {
 public:
  Protobuf& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  Protobuf& bytes(int field, const std::string& value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(value.size());
    text_ += value;
    return *this;
  }
  Protobuf& message(int field, const Protobuf& value) { return bytes(field, value.text_); }
  const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) text_ += static_cast<char>(value | 128);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

namespace onnx {

constexpr int kFloat = 1;

inline Protobuf node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
  Protobuf node;
  for (const std::string& input : inputs) node.bytes(1, input);
  return node.bytes(2, output).bytes(4, type);
}

inline Protobuf weights(const std::string& name, const std::vector<std::size_t>& dims, std::mt19937& random, float scale) {
  Protobuf tensor;
  std::size_t count = 1;
  for (const std::size_t dim : dims) {
    tensor.number(1, dim);
    count *= dim;
  }
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return tensor.number(2, kFloat).bytes(8, name).bytes(9, {reinterpret_cast<const char*>(values.data()), count * 4});
}

inline Protobuf port(const std::string& name, std::size_t columns) {
  Protobuf rows, width, shape, tensor, type, info;
  shape.message(1, rows.bytes(2, "N")).message(1, width.number(1, columns));
  return info.bytes(1, name).message(2, type.message(1, tensor.number(1, kFloat).message(2, shape)));
}

}  // namespace onnx

inline void writeMlp(const std::filesystem::path& file, const std::vector<std::size_t>& widths) {
  std::mt19937 random(5);
  Protobuf graph;
  std::string from = "features";
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const std::string number = std::to_string(layer);
    const bool last = layer + 2 == widths.size();
    const std::string linear = last ? "quantiles" : "linear_" + number;
    graph.message(1, onnx::node("Gemm", {from, "weight_" + number, "bias_" + number}, linear));
    if (!last) graph.message(1, onnx::node("Relu", {linear}, "hidden_" + number));
    from = "hidden_" + number;
    const float scale = std::sqrt(2.0f / static_cast<float>(widths[layer]));
    graph.message(5, onnx::weights("weight_" + number, {widths[layer], widths[layer + 1]}, random, scale));
    graph.message(5, onnx::weights("bias_" + number, {widths[layer + 1]}, random, 0.1f));
  }
  graph.bytes(2, "mlp").message(11, onnx::port("features", widths.front()));
  graph.message(12, onnx::port("quantiles", widths.back()));
  Protobuf opset, model;
  model.number(1, 8).message(8, opset.number(2, 13)).message(7, graph);
  std::ofstream(file, std::ios::binary) << model.text();
}

}  // namespace roundhouse::test
