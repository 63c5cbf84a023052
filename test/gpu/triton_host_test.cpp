// The in-process host with the shipped models: on the CPU where there is no GPU.
#include "triton_host.hpp"

#include <cmath>
#include <vector>

#include "failure_code.hpp"
#include "finish_and_exit.hpp"
#include "network_repository.hpp"
#include "onnx_mlp.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;

constexpr std::int64_t kRows = 64;

std::vector<float> someRows() {
  std::vector<float> features(kRows * 20, 0.0f);
  for (std::size_t at = 0; at < features.size(); ++at) features[at] = 0.01f * static_cast<float>(at % 97);
  return features;
}

CallInput input(const std::vector<float>& features, std::int64_t columns = 20) {
  return {"features", TRITONSERVER_TYPE_FP32, {kRows, columns}, features.data(),
          static_cast<std::size_t>(kRows * columns) * sizeof(float)};
}

CallOutput output(std::vector<float>& quantiles) {
  return {"quantiles", quantiles.data(), quantiles.size() * sizeof(float)};
}

void checkCalls(TritonHost& host) {
  const std::vector<float> features = someRows();
  std::vector<float> first(kRows * 8, -1.0f), second(kRows * 8, -1.0f);
  const auto one = host.call("delivery_time", {input(features)}, {output(first)});
  const auto other = host.call("delivery_time", {input(features)}, {output(second)});
  for (int round = 0; round < 3; ++round) {
    one->start();
    other->start();
    one->wait();
    other->wait();
  }
  CHECK_EQUAL(one->shape(0).size(), 2U);
  CHECK_EQUAL(one->shape(0)[0], kRows);
  CHECK_EQUAL(one->bytes(0), static_cast<std::size_t>(kRows) * 8 * 4);
  CHECK(first == second);
  for (const float value : first) CHECK(std::isfinite(value) && value >= 0.0f);
}

void checkFailures(TritonHost& host) {
  const std::vector<float> features = someRows();
  std::vector<float> quantiles(kRows * 8), tooFew(3);
  CHECK_EQUAL(code_of([&] { host.call("nobody", {input(features)}, {output(quantiles)}); }), "NOT_FOUND");
  CHECK_EQUAL(code_of([&] { host.load("nobody"); }), "INTERNAL");
  const auto wrongShape = host.call("delivery_time", {input(features, 10)}, {output(quantiles)});
  CHECK_EQUAL(code_of([&] { wrongShape->infer(); }), "INVALID_ARG");
  const auto noRoom = host.call("delivery_time", {input(features)}, {output(tooFew)});
  CHECK_EQUAL(code_of([&] { noRoom->infer(); }), "INTERNAL");
  const auto good = host.call("delivery_time", {input(features)}, {output(quantiles)});
  CHECK_EQUAL(code_of([&] { good->infer(); }), "no failure");
}

/// A network of other columns than the contract's, written by the tests themselves; large requests on any device.
void checkOtherColumns() {
  NetworkRepository repository;
  writeMlp(repository.add("wide", {6, 3}) / "model.onnx", {6, 16, 3});
  TritonHost host({.repository = repository.folder(), .backends = BACKENDS});
  host.load("wide");
  constexpr std::int64_t rows = 20'000;
  const std::vector<float> features(rows * 6, 0.25f);
  std::vector<float> quantiles(rows * 3, -1.0f);
  const auto call = host.call("wide", {{"features", TRITONSERVER_TYPE_FP32, {rows, 6}, features.data(), features.size() * 4}},
                              {{"quantiles", quantiles.data(), quantiles.size() * 4}});
  call->infer();
  for (std::size_t at = 3; at < quantiles.size(); ++at) CHECK(std::fabs(quantiles[at] - quantiles[at % 3]) < 1e-3f);
}

}  // namespace

int main() {
  if (TritonHost::findCore().empty()) {
    skip("no TritonCore in the toolchain");
    return finish();
  }
  {
    TritonHost host({.repository = MODELS, .backends = BACKENDS});
    for (const char* model : {"delivery_time", "route_planner", "candidate_cost"}) {
      host.load(model);
      const std::string config = host.config(model);
      CHECK_THAT(config.find("KIND_AUTO") == std::string::npos, config);
    }
    checkCalls(host);
    checkFailures(host);
    host.unload("route_planner");
    CHECK(host.statistics("delivery_time").find("\"execution_count\"") != std::string::npos);
  }
  checkOtherColumns();
  finish_and_exit();
}
